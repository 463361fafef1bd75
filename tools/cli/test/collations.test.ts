import { flax, storageFor } from '@snoflax/core'
import { columnFaults } from '@snoflax/core/adapter'
import { onConnection, type PostgresDatabase, postgres, sharedPostgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doctor, told } from './reports.js'

/** Sorts as `en_US` does, where the system has such a locale. */
const EN_US = 'libc en_US.UTF-8'

interface Default {
  readonly collation: string
  /** The first version that has it. */
  readonly since: number
  readonly sorts: 'by code point' | 'by language'
  /** How the database's default is named in messages. */
  readonly named?: string
}

const DEFAULTS: readonly Default[] = [
  { collation: 'C', since: 14, sorts: 'by code point' },
  { collation: 'libc C.UTF-8', since: 15, sorts: 'by code point' },
  { collation: 'builtin C.UTF-8', since: 17, sorts: 'by code point' },
  { collation: 'builtin PG_UNICODE_FAST', since: 18, sorts: 'by code point' },
  { collation: 'en-US', since: 15, sorts: 'by language', named: 'default (icu en-US)' },
  { collation: 'de', since: 15, sorts: 'by language', named: 'default (icu de)' },
  { collation: EN_US, since: 15, sorts: 'by language', named: 'default (en_US.UTF-8)' },
]

/** Texts whose order by code point no language has. */
const IDS = ['ZZZZ', '____', 'aaaa', '0000', '-AAA'].map((end) => flax.parse(`Kpcan0M1Fako${end}`)).sort()

/** Each column of `t`, its type, the first version that has it, and whether it sorts by code point. */
const COLUMNS: readonly (readonly [
  name: string,
  type: string,
  since: number,
  fits: boolean | 'as default',
])[] = [
  ['plain', 'text', 14, 'as default'],
  ['named', 'text COLLATE "default"', 14, 'as default'],
  ['domain', 'any_text', 14, 'as default'],
  ['length', 'varchar(16)', 14, 'as default'],
  ['ours', storageFor(flax, 'postgres').column.sql, 14, true],
  ['posix', 'text COLLATE "POSIX"', 14, true],
  ['ucs', 'text COLLATE ucs_basic', 14, true],
  ['own_domain', 'c_text', 14, true],
  ['over_domain', 'en_text COLLATE "C"', 14, true],
  ['c_utf8', 'text COLLATE pg_c_utf8', 17, true],
  ['unicode_fast', 'text COLLATE pg_unicode_fast', 18, true],
  ['renamed', 'text COLLATE ours.anything', 14, true],
  ['en_domain', 'en_text', 14, false],
  ['icu', 'text COLLATE "en-x-icu"', 14, false],
  ['unicode', 'text COLLATE "unicode"', 16, false],
  ['disguised', 'text COLLATE ours."C"', 14, false],
]

const { version } = sharedPostgres()

const hasLocale = ({ collation, since }: Default) =>
  since <= version && (collation !== EN_US || locales.includes('en_US.utf8'))
const locales = await onConnection(sharedPostgres().url, async (client) => {
  const { rows } = await client.query('SELECT collname AS name FROM pg_collation')
  return rows.map(({ name }) => name)
})

describe.each(DEFAULTS.filter(hasLocale))(
  'a database whose default is $collation',
  ({ collation, sorts, named }) => {
    const columns = COLUMNS.filter(([, , since]) => since <= version)
    const isRight = (fits: boolean | 'as default') =>
      fits === 'as default' ? sorts === 'by code point' : fits
    let database: PostgresDatabase
    beforeAll(async () => {
      database = await postgres.open({ collation })
      await database.pool.query(`CREATE SCHEMA ours;
      CREATE COLLATION ours.anything (provider = libc, locale = 'C');
      CREATE COLLATION ours."C" (provider = icu, locale = 'en-US');
      CREATE DOMAIN any_text AS text; CREATE DOMAIN c_text AS text COLLATE "C"; CREATE DOMAIN en_text AS text COLLATE "en-x-icu";
      CREATE TABLE t (${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`)
      for (const id of IDS)
        await database.query(`INSERT INTO t VALUES (${columns.map(() => '$1::text').join(', ')})`, [id])
    })
    afterAll(() => database.close())

    test('columnFaults() and doctor report the columns that the database sorts otherwise, and no others', async () => {
      const wrong: string[] = []
      for (const [name] of columns) {
        const rows = await database.query(`SELECT ${name} AS id FROM t ORDER BY ${name}`)
        if (rows.some(({ id }, at) => id !== IDS[at])) wrong.push(name)
      }
      expect(wrong).toEqual(columns.flatMap(([name, , , fits]) => (isRight(fits) ? [] : [name])))

      const declared = columns.map(([column]) => ({
        path: column,
        table: 't',
        column,
        storage: storageFor(flax, 'postgres'),
      }))
      const faults = await columnFaults('postgres', declared, (sql, parameters) =>
        database.query(sql, parameters),
      )
      expect(faults.map(({ message }) => message.split(':')[0])).toEqual(wrong)
      if (named !== undefined)
        expect(faults[0]?.message).toBe(
          `plain: column t.plain is text COLLATE ${named} and must be text COLLATE "C"`,
        )

      const args = columns.flatMap(([name]) => ['--column', `t.${name}=flax`])
      expect(told(await doctor(database.url, ...args))).toEqual(wrong.map((name) => `collation t.${name}`))
    })

    test('doctor finds keys without a row, whatever the collations of both columns', async () => {
      await database.pool.query(`CREATE TABLE parent (id text COLLATE "C" PRIMARY KEY);
        CREATE TABLE child (n integer, parent_id text, posix_id text COLLATE "POSIX");
        INSERT INTO parent SELECT plain FROM t;
        INSERT INTO child SELECT 1, plain, plain FROM t;
        INSERT INTO child VALUES (2, 'Kpcan0M1FakoLost', 'Kpcan0M1FakoLost');
        ALTER TABLE child ADD FOREIGN KEY (parent_id) REFERENCES parent NOT VALID,
          ADD FOREIGN KEY (posix_id) REFERENCES parent NOT VALID`)
      const args = ['child.parent_id', 'child.posix_id', 'parent.id'].flatMap((name) => [
        '--column',
        `${name}=flax`,
      ])
      const { findings } = await doctor(database.url, ...args, '--full')
      const lost = findings.filter(({ message }) => message.startsWith('values without a row'))
      expect(lost.map(({ where }) => where)).toEqual(['child.parent_id', 'child.posix_id'])
    })
  },
)
