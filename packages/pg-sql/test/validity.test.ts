import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from './families.js'
import { openInstalled, servers } from './installed.js'
import { changedText } from './malformed-checks.js'
import { Random, SEED } from './random.js'

const random = new Random(SEED)

// What *_is_valid and the domains ask in one expression is what the readers ask digit by digit.
describe.each(servers)(`$name, SNOFLAX_SEED=${SEED}`, (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  describe.each(FAMILIES)('$name', (tested) => {
    const { name, family } = tested
    const id = () => family.encode(random.bytes(family.byteLength))

    test('texts', async () => {
      const ids = Array.from({ length: 500 }, id)
      const texts = ids.flatMap((text) => [
        text,
        changedText(text, tested, random),
        `${text}\n`,
        `\n${text.slice(1)}`,
        `${text.slice(0, -1)}\n`,
        `${text.slice(0, -2)}é`,
        `${text.slice(0, -1)}é`,
        `é${text}`,
        `${text}\n${text}`,
        ` ${text}`,
        `${text.slice(0, -1)}\\`,
        `${text.slice(0, -1)}]`,
      ])
      const inputs = [null, '', '\n', 'é'.repeat(8), '-'.repeat(16), ' '.repeat(16), '^'.repeat(16), ...texts]
      const domain = family.storages.includes('text') ? `${name}_text` : undefined
      const rows = await database.query(
        `SELECT input, snoflax.${name}_is_valid(input) AS valid, snoflax._${name}_bytes(input, '') <> '' AS read,
                snoflax.${name}_prefixed_is_valid('cus', 'cus_' || input) AS prefixed
                ${domain ? `, attempt('$1::snoflax.${domain}', input) NOT LIKE '!%' AS held` : ''}
           FROM unnest($1::text[]) AS input`.replace(
          name === 'flake' ? /,\s+snoflax\.flake_prefixed.*? AS prefixed/s : /$^/,
          '',
        ),
        [inputs],
      )
      expect(rows.filter(({ read }) => read)).not.toHaveLength(0)
      expect(rows.filter(({ read }) => read === false).length).toBeGreaterThan(texts.length / 2)
      expect(
        rows.filter(
          ({ valid, read, prefixed = read, held = read, input }) =>
            valid !== read || prefixed !== read || (input !== null && held !== read),
        ),
      ).toEqual([])
    })

    test('uuids', async () => {
      const uuids = Array.from({ length: 500 }, () => hex(random.bytes(16)))
      const rows = await database.query(
        `WITH ids AS (SELECT n, bytes FROM unnest($2::bytea[]) WITH ORDINALITY AS ids(bytes, n)),
           forms AS (
             SELECT uuid_send(snoflax.${name}_to_uuid8(bytes)) AS form FROM ids
             ${family.storages.includes('uuid') ? `UNION ALL SELECT uuid_send(snoflax.${name}_to_uuid(bytes)) FROM ids` : ''}),
           uuids AS (
             SELECT unnest($1::uuid[]) AS id
             UNION ALL SELECT encode(form, 'hex')::uuid FROM forms
             UNION ALL SELECT encode(set_byte(form, at, byte), 'hex')::uuid
                         FROM forms, generate_series(0, 15) AS at, unnest('{0, 10, 45, 46, 92, 127, 128, 143, 144, 255}'::int[]) AS byte
             UNION ALL SELECT NULL)
         SELECT id, snoflax.${name}_is_valid(id) AS valid, snoflax._${name}_bytes(id, '') <> '' AS read,
                attempt('$1::uuid::snoflax.${name}_uuid8', id::text) NOT LIKE '!%' AS held8,
                attempt('snoflax.${name}_from_uuid8($1::uuid)', id::text) NOT LIKE '!%' AS read8
                ${
                  family.storages.includes('uuid')
                    ? `, attempt('$1::uuid::snoflax.${name}_uuid', id::text) NOT LIKE '!%' AS held,
                         attempt('snoflax.${name}_from_uuid($1::uuid)', id::text) NOT LIKE '!%' AS of_uuid`
                    : ''
                }
           FROM uuids`,
        [uuids, Array.from({ length: 20 }, () => Buffer.from(random.bytes(family.byteLength)))],
      )
      expect(rows.filter(({ read }) => read)).not.toHaveLength(0)
      expect(rows.filter(({ read }) => read === false)).not.toHaveLength(0)
      expect(
        rows.filter(
          (row) =>
            row['valid'] !== row['read'] || row['held8'] !== row['read8'] || row['held'] !== row['of_uuid'],
        ),
      ).toEqual([])
    })

    test('bytes', async () => {
      const rows = await database.query(
        `SELECT bytes FROM unnest($1::bytea[]) AS bytes
          WHERE snoflax.${name}_is_valid(bytes) IS DISTINCT FROM (snoflax._${name}_bytes(bytes, '') <> '')
             OR snoflax.${name}_is_valid(bytes) IS DISTINCT FROM (octet_length(bytes) = $2)`,
        [[null, ...Array.from({ length: 24 }, (_, n) => Buffer.alloc(n, 7))], family.byteLength],
      )
      expect(rows).toEqual([])
    })
  })
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
