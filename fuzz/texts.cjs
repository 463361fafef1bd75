// Every parser of texts, and the readers of values from databases, of every family.
const assert = require('node:assert')
const { registry, storageFor } = require('@snoflax/core')
const { isPlausible, readings, refusals } = require('@snoflax/core/inspect')
const { generateSealKey, seal } = require('@snoflax/seal')
const { families, pairs, unlessRefused } = require('./families.cjs')

const keys = generateSealKey()
const seals = families.flatMap((family) => [
  seal(family, { keys }),
  ...(unlessRefused(() => [seal(family, { keys, as: 'uuid' })]) ?? []),
])
const kinds = registry({ customer: families.at(-3), order: families.at(-2), user: families.at(-1) })
const stored = families.flatMap((family) =>
  family.storages.flatMap((storage) =>
    ['postgres', 'sqlite', 'mysql', 'mariadb'].flatMap(
      (database) => unlessRefused(() => storageFor(family, database, { storage })) ?? [],
    ),
  ),
)

exports.fuzz = (/** @type {Buffer} */ data) => {
  // Every code unit can come, lone surrogates too.
  const text = data.length % 2 === 0 && data[0] === 0 ? data.toString('utf16le') : data.toString('latin1')
  for (const family of families) {
    const id = unlessRefused(() => family.parse(text))
    assert.equal(family.is(text), id !== undefined)
    assert.equal(unlessRefused(() => family.decode(text)) !== undefined, id !== undefined)
    if (id === undefined) continue
    assert.equal(id, text)
    assert.match(text, family.pattern)
    assert.equal(family.encode(family.decode(text)), text)
    assert.equal(family.pack(family.unpack(id)), text)
    assert.equal(family.time(id).getTime(), family.timeMs(id))
  }
  for (const [light, whole] of pairs) {
    assert.equal(light.is(text), whole.is(text))
    assert.equal(
      unlessRefused(() => light.parse(text)),
      unlessRefused(() => whole.parse(text)),
    )
    assert.equal(
      unlessRefused(() => light.timeMs(text)),
      unlessRefused(() => whole.timeMs(text)),
    )
  }
  for (const storage of stored) {
    const id = unlessRefused(() => storage.fromDatabase(text))
    if (id === undefined) continue
    // Not every id fits a bigint.
    const value = unlessRefused(() => storage.toDatabase(id))
    if (value !== undefined) assert.equal(storage.fromDatabase(value), id)
  }
  for (const { open, seal } of seals) {
    const id = unlessRefused(() => open(text))
    if (id !== undefined) assert.equal(seal(id), text)
  }
  kinds.find(text)
  for (const { family, id } of readings(text, families)) isPlausible(family, id)
  refusals(text, families)
}

exports.words = [
  'cus_',
  'a_b_',
  'user_',
  '-',
  '7',
  '00000000',
  '018f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  '\\x',
  '18446744073709551615',
]
