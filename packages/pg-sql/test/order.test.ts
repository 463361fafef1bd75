import { type PostgresDatabase, sharedPostgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedText } from './cross-checks.js'
import { FAMILIES, TYPES } from './families.js'
import { openPostgres } from './installed.js'
import { Random, SEED } from './random.js'

const COUNT = 1000

// Before 15 a database cannot have a language's collation as its default.
const collations = sharedPostgres().version < 15 ? ['C'] : ['C', 'de', 'und']

const columns = FAMILIES.flatMap((tested) =>
  tested.family.storages.map((storage) => ({ ...tested, storage, label: `${tested.name} in ${storage}` })),
)

describe.each(collations)(`default collation %s, SNOFLAX_SEED=${SEED}`, (collation) => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await openPostgres({ collation })
  })
  afterAll(() => database.close())

  describe.each(columns)('$label', ({ name, family, storage }) => {
    const random = new Random(SEED)
    const ids = Array.from({ length: COUNT }, () => {
      const bytes = random.bytes(family.byteLength)
      if (storage === 'bigint') bytes[0] = (bytes[0] as number) & 0x7f
      return family.encode(bytes)
    })
    const inByteOrder = [...ids].sort((a, b) => Buffer.compare(family.decode(a), family.decode(b)))

    async function sorted(type: string, how = ''): Promise<string[]> {
      const rows = await database.query(
        `WITH given AS MATERIALIZED (SELECT value::${type} AS id FROM unnest($1::text[]) AS value)
         SELECT snoflax.${name}_encode(id::${TYPES[storage]}) AS id FROM given ORDER BY given.id ${how}`,
        [ids.map((id) => storedText(family, storage, id))],
      )
      return rows.map((row) => row['id'] as string)
    }

    test("the domain's order is that of bytes", async () => {
      expect(await sorted(`snoflax.${name}_${storage}`)).toEqual(inByteOrder)
    })

    test("the column's order is that of bytes", async () => {
      const how = storage === 'text' ? 'COLLATE "C"' : ''
      expect(await sorted(TYPES[storage], how)).toEqual(inByteOrder)
    })

    // Digits before lower case is what languages have too, so sno's text survives them.
    test.runIf(storage === 'text' && collation !== 'C' && name !== 'sno')(
      'text without COLLATE "C" sorts differently',
      async () => {
        const order = await sorted('text')
        expect(order).not.toEqual(inByteOrder)
        expect(order.sort()).toEqual([...inByteOrder].sort())
      },
    )
  })
})
