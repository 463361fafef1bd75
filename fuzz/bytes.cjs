// Bytes, as drivers hand them over.
const assert = require('node:assert')
const { fieldBits } = require('@snoflax/core/inspect')
const { families, unlessRefused } = require('./families.cjs')

exports.fuzz = (/** @type {Buffer} */ data) => {
  for (const family of families) {
    const bytes = Uint8Array.from(data.subarray(0, family.byteLength))
    const id = unlessRefused(() => family.encode(bytes))
    if (bytes.length !== family.byteLength) assert.equal(id, undefined)
    if (id === undefined) continue
    assert.deepEqual(family.decode(id), bytes)
    assert.equal(family.is(id), true)
    fieldBits(family, id)
    // uid has bits for times that no clock tells, which spec/uid.md leaves outside bounds.
    if (!family.name.startsWith('uid'))
      assert.ok(family.compare(family.lowerBound(family.timeMs(id)), id) <= 0)
  }
}

exports.words = ['\0\0\0\0', '\x7f', '\x80', 'p', '\x8f']
