import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Conversion } from '../../core/test/recorded-vectors.js'
import { fieldsOf, type NativeUid } from '../../core/test/uid-natives.js'
import { VECTOR_FILES, type Vector, vectorsOf } from '../../core/test/vectors.js'
import { Checks } from './checks.js'
import { checkKnownId, variantOf } from './cross-checks.js'
import { familyNamed, hexLiteral, sqlFields } from './families.js'
import { packOf } from './id-checks.js'
import { openInstalled, servers } from './installed.js'

const FAMILIES = { flax: ['flax'], sno: ['sno'], flake: ['flake'], uid: ['uid', 'uidLocal'] } as const

/** Each string of a vector, at whatever depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const isHex = (text: string) => /^([0-9a-f]{2})*$/.test(text)
const isSqlText = (text: string) => !text.includes('\0') && Buffer.from(text).toString() === text

const uid = familyNamed('uid')
const uidLocal = familyNamed('uidLocal')
const sqlUid = (native: NativeUid): string =>
  sqlFields(native.nodeHex === undefined ? uidLocal : uid, fieldsOf(native))

/** Conversions, and names of nodes, which only SQL's own functions have. */
const CONVERSIONS: Readonly<Record<string, (checks: Checks, vector: never) => void>> = {
  nodeHash: (checks, { node, hash }: { node: string; hash: number }) =>
    node === ''
      ? checks.refuses('snoflax.uid_fingerprint($1)', node, '22023')
      : checks.gives('snoflax.uid_fingerprint($1)', node, String(hash)),
  toGlobal: (checks, { localNode, input, result }: Conversion) => {
    const convert = `snoflax.uid_from_local(${packOf(uidLocal)}, snoflax.uid_fingerprint('${localNode}'))`
    checks.gives(`row_to_json(snoflax.uid_unpack(${convert}))`, sqlUid(input), sqlUid(result as NativeUid))
  },
  toLocal: (checks, { localNode, input, result }: Conversion) => {
    const convert = `snoflax.uid_to_local(${packOf(uid)}, snoflax.uid_fingerprint('${localNode}'))`
    if (result === null) checks.refuses(convert, sqlUid(input), '22023')
    else checks.gives(`row_to_json(snoflax.uid_local_unpack(${convert}))`, sqlUid(input), sqlUid(result))
  },
  gtol: (checks, { input, result }: Conversion) => {
    const convert = `snoflax.uid_force_local(${packOf(result === null ? uidLocal : uid)})`
    if (result === null) checks.refuses(convert, sqlUid(input), '22P02')
    else checks.gives(`row_to_json(snoflax.uid_local_unpack(${convert}))`, sqlUid(input), sqlUid(result))
  },
}

describe.each(servers)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  // TypeScript reads and writes them as recorded: see the tests of core and families.
  test.each(VECTOR_FILES)('texts and bytes of the vectors of %s are those of TypeScript', async (file) => {
    const checks = new Checks()
    for (const tested of FAMILIES[file].map(familyNamed)) {
      const seen = new Set<string>()
      let valid = 0
      for (const vector of vectorsOf(file) as readonly (Vector & { epoch?: number; I?: number })[]) {
        const { epoch = 0, I = 8 } = vector
        const variant = variantOf(tested, Number.isInteger(epoch) ? epoch : 0, I >= 5 && I <= 10 ? I : 8)
        for (const text of stringsIn(vector)) {
          if (seen.has(text + variant.option)) continue
          seen.add(text + variant.option)
          const { family, name } = tested
          const isId: boolean = family.is(text)
          const bytes = isId ? family.decode(text as never) : Buffer.from(isHex(text) ? text : '', 'hex')
          if (isSqlText(text)) {
            checks.gives(`snoflax.${name}_is_valid($1)`, text, String(isId))
            // As malformed as a text of the right length can be.
            if (!isId && text.length === family.min.length)
              checks.refuses(`snoflax.${name}_decode($1)`, text, '22P02')
          }
          if (isHex(text))
            checks.gives(
              `snoflax.${name}_is_valid($1::bytea)`,
              hexLiteral(Buffer.from(text, 'hex')),
              String(text.length === family.byteLength * 2),
            )
          if (bytes.length !== family.byteLength) continue
          checkKnownId(checks, tested, variant, bytes)
          valid++
        }
      }
      expect(valid).toBeGreaterThan(100)
    }
    expect((await checks.failures(database)).slice(0, 20)).toEqual([])
  })

  test.each(Object.entries(CONVERSIONS))('the vectors of uid %s hold', async (name, add) => {
    const checks = new Checks()
    for (const vector of vectorsOf('uid')) if (vector.kind === name) add(checks, vector as never)
    expect(checks.size).toBeGreaterThan(5)
    expect(await checks.failures(database)).toEqual([])
  })
})
