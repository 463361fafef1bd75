import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { flax, sno, storageFor } from '@snoflax/core'
import { type MysqlDatabase, mysql, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { doctor, type Finding, openInstalled } from './reports.js'

type Kind = 'postgres' | 'sqlite' | 'mariadb'
const KINDS = ['postgres', 'sqlite', 'mariadb'] as const
const TITLES = { postgres: 'PostgreSQL', sqlite: 'SQLite', mariadb: 'MariaDB' } as const

/** What is seen of a fault: whether its statement mends it, or what it says is yours to do. */
type Outcome = 'cured' | 'yours'

interface Fault {
  /** As the page names it. */
  readonly name: string
  /** Check and place of the finding. */
  readonly check: string
  readonly place: string
  readonly cured: Outcome
  /** Statements with `$n` in place of texts of ids; none where the database can't have the fault. */
  readonly plant: Plant
  /** What is in the column afterwards: the ids that were there in whatever form. */
  readonly ids?: readonly string[]
}

/** A text column that keeps what it is given. */
const TEXT = {
  postgres: 'text COLLATE "C"',
  sqlite: 'TEXT',
  mariadb: 'VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
} as const
const BYTES = { postgres: 'bytea', sqlite: 'BLOB', mariadb: 'BINARY(12)' } as const

const bytes = (kind: Kind, id: string): string => {
  const hex = Buffer.from(flax.decode(id as never)).toString('hex')
  return kind === 'postgres' ? `'\\x${hex}'` : `X'${hex}'`
}

type Plant = Partial<Record<Kind, readonly string[]>>

const each = (statements: (kind: Kind) => readonly string[]): Record<Kind, readonly string[]> => ({
  postgres: statements('postgres'),
  sqlite: statements('sqlite'),
  mariadb: statements('mariadb'),
})

const many = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n))
const dayAgo = (n: number): number => Date.now() - 86_400_000 + n * 1000
const flaxes = (count = 20): string[] => many(count, (n) => flax.generateAt(dayAgo(n)))
const snos = (count = 20): string[] => many(count, (n) => sno.generateAt(dayAgo(n)))
const quoted = (text: string): string => `'${text}'`
const texts = (): string[] => flaxes().map(quoted)
const bytesOf = (kind: Kind): string[] => flaxes().map((id) => bytes(kind, id))
const hexOf = (id: string): string => Buffer.from(flax.decode(id as never)).toString('hex')
const stored = (id: string, storage: 'uuid' | 'uuid8'): string =>
  storageFor(flax, 'postgres', { storage }).toDatabase(id as never) as unknown as string
const uuid8Of = (id: string): string => stored(id, 'uuid8')
const uuidOf = (id: string): string => stored(id, 'uuid')

const inserting = (table: string, rows: readonly string[]): string =>
  `INSERT INTO ${table} VALUES ${rows.map((row) => `(${row})`).join(', ')}`

/** A table of one column with these values in SQL, in the databases that have a type for it, and what follows. */
const table = (
  name: string,
  types: Partial<Record<Kind, string>>,
  rows: (kind: Kind) => readonly string[],
  more: Plant = {},
): Plant =>
  Object.fromEntries(
    (Object.entries(types) as [Kind, string][]).map(([kind, type]) => [
      kind,
      [`CREATE TABLE ${name} (id ${type})`, inserting(name, rows(kind)), ...(more[kind] ?? [])],
    ]),
  )

const KEYS = {
  postgres: `${TEXT.postgres} PRIMARY KEY`,
  sqlite: 'TEXT PRIMARY KEY',
  mariadb: `${TEXT.mariadb} PRIMARY KEY`,
}

/** A table of a text key with these values. */
const textTable = (name: string, items: readonly string[], more: Plant = {}): Plant =>
  table(name, KEYS, () => items.map(quoted), more)

const hexTail = 'lower(hex(randomblob(8)))'
const kept = flax.generateAt(dayAgo(50))
const twin = flax.generateAt(dayAgo(52))
const shared = flax.generateAt(dayAgo(51))
const owners = flaxes()

const fault = (
  name: string,
  place: string,
  cured: Outcome,
  plant: Plant,
  check = 'malformed',
  ids?: readonly string[],
): Fault => ({ name, check, place, cured, plant, ...(ids && { ids }) })

/** A fault of some values of a text column, by the ids that they are. */
function keeping(
  name: string,
  of: string,
  right: readonly string[],
  wrong: Readonly<Record<string, (id: string) => string>>,
  types: Partial<Record<Kind, string>> = KEYS,
): Fault {
  const rows = [...right.map(quoted), ...Object.entries(wrong).map(([id, write]) => write(id))]
  const ids = [...right, ...Object.keys(wrong)]
  return fault(
    name,
    `${of}.id`,
    'yours',
    table(of, types, () => rows),
    'malformed',
    ids,
  )
}

const FAULTS: readonly Fault[] = [
  keeping('text in the wrong case', 'f_case', snos(), {
    [sno.generateAt(dayAgo(60))]: (id) => quoted(id.toUpperCase()),
  }),
  keeping('blanks or a line break around the text', 'f_blank', flaxes(), {
    [flax.generateAt(dayAgo(60))]: (id) => quoted(` ${id}`),
    [flax.generateAt(dayAgo(61))]: (id) => quoted(`${id}\n`),
  }),
  keeping('uuid, uuid8 or hex as text in a text column', 'f_form', flaxes(), {
    [flax.generateAt(dayAgo(60))]: (id) => quoted(uuidOf(id)),
    [flax.generateAt(dayAgo(61))]: (id) => quoted(uuid8Of(id)),
    [flax.generateAt(dayAgo(62))]: (id) => quoted(hexOf(id)),
  }),
  keeping(
    'bytes in a text column',
    'f_bytes',
    flaxes(),
    { [flax.generateAt(dayAgo(63))]: (id) => bytes('sqlite', id) },
    { sqlite: KEYS.sqlite },
  ),
  fault(
    'uuid8 in a column with storage uuid',
    'f_uuid.id',
    'yours',
    table('f_uuid', { postgres: 'uuid PRIMARY KEY' }, () =>
      [...owners.map(uuidOf), uuid8Of(kept)].map(quoted),
    ),
    'malformed',
    [...owners, kept].map(uuidOf),
  ),
  fault('a text that is not an id', 'f_lost.id', 'yours', textTable('f_lost', [...flaxes(), 'nothing'])),
  fault(
    'a key with other UUIDs before ours',
    'f_changed.id',
    'yours',
    textTable('f_changed', [...many(30, (n) => `00000000-0000-4000-8000-0000000000${n + 10}`), ...flaxes()]),
  ),
  fault(
    'ids from the future',
    'f_future.id',
    'yours',
    textTable('f_future', [...flaxes(), flax.generateAt(Date.now() + 1e9)]),
    'future',
  ),
  fault(
    'a collation that sorts by language or ignores case',
    'f_collation.id',
    'cured',
    table(
      'f_collation',
      {
        postgres: 'text COLLATE "en-x-icu" PRIMARY KEY',
        sqlite: 'TEXT COLLATE NOCASE PRIMARY KEY',
        mariadb: 'VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY',
      },
      texts,
    ),
    'collation',
  ),
  fault(
    '`citext`',
    'f_citext.id',
    'cured',
    {
      postgres: [
        'CREATE EXTENSION IF NOT EXISTS citext',
        'CREATE TABLE f_citext (id citext PRIMARY KEY)',
        inserting('f_citext', texts()),
      ],
    },
    'type',
  ),
  fault(
    'a fixed-length type that pads: `char(20)`',
    'f_padded.id',
    'cured',
    table('f_padded', { postgres: 'char(20) COLLATE "C" PRIMARY KEY' }, texts),
    'type',
  ),
  fault(
    'bytes that the type pads: `BINARY(16)`',
    'f_zeros.id',
    'yours',
    table('f_zeros', { mariadb: 'BINARY(16) PRIMARY KEY' }, bytesOf),
    'type',
  ),
  fault(
    'one id in several rows, without a unique index',
    'f_twice.id',
    'yours',
    table('f_twice', TEXT, () => [...flaxes(), twin, twin, twin].map(quoted)),
    'duplicate',
  ),
  fault(
    'one id in the keys of two tables',
    'f_other.id',
    'yours',
    each((kind) => [
      `CREATE TABLE f_one (id ${TEXT[kind]} PRIMARY KEY)`,
      `CREATE TABLE f_other (id ${BYTES[kind]} PRIMARY KEY)`,
      inserting('f_one', [...flaxes(9), shared].map(quoted)),
      inserting('f_other', [...bytesOf(kind), bytes(kind, shared)]),
    ]),
    'duplicate',
  ),
  fault(
    'a default that generates other values',
    'f_default.id',
    'cured',
    table(
      'f_default',
      {
        postgres: 'text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text',
        sqlite: `TEXT PRIMARY KEY DEFAULT (${hexTail})`,
        mariadb: `${TEXT.mariadb} DEFAULT (uuid()) PRIMARY KEY`,
      },
      texts,
    ),
    'default',
  ),
  fault(
    'a foreign key that was never checked',
    'f_unchecked.customer_id',
    'cured',
    {
      postgres: [
        ...(textTable('f_checked', flaxes(12)).postgres ?? []),
        'CREATE TABLE f_unchecked (n integer, customer_id text COLLATE "C")',
        'ALTER TABLE f_unchecked ADD CONSTRAINT f_key FOREIGN KEY (customer_id) REFERENCES f_checked NOT VALID',
      ],
    },
    'reference',
  ),
  fault(
    'a foreign key that references a missing row',
    'f_orphan.parent_id',
    'yours',
    textTable('f_parent', flaxes(), {
      postgres: [
        'CREATE TABLE f_orphan (n integer, parent_id text COLLATE "C" REFERENCES f_parent)',
        'ALTER TABLE f_orphan DISABLE TRIGGER ALL',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
        'ALTER TABLE f_orphan ENABLE TRIGGER ALL',
      ],
      sqlite: [
        'CREATE TABLE f_orphan (n INTEGER, parent_id TEXT REFERENCES f_parent)',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
      ],
      mariadb: [
        `CREATE TABLE f_orphan (n INTEGER, parent_id ${TEXT.mariadb}, FOREIGN KEY (parent_id) REFERENCES f_parent (id))`,
        'SET foreign_key_checks = 0',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
        'SET foreign_key_checks = 1',
      ],
    }),
    'reference',
  ),
  fault(
    "another table's ids in another storage",
    'f_joined.owner_id',
    'yours',
    each((kind) => {
      const ids = flaxes()
      return [
        `CREATE TABLE f_owner (id ${BYTES[kind]} PRIMARY KEY)`,
        `CREATE TABLE f_joined (n INTEGER, owner_id ${kind === 'mariadb' ? 'CHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : TEXT[kind]})`,
        inserting(
          'f_owner',
          ids.map((id) => bytes(kind, id)),
        ),
        inserting(
          'f_joined',
          ids.slice(5).map((id) => `1, '${id}'`),
        ),
      ]
    }),
    'reference',
  ),
  fault(
    'NULL in a primary key',
    'f_null.id',
    'yours',
    table('f_null', { sqlite: KEYS.sqlite }, () => [...texts(), 'NULL', 'NULL']),
    'null',
  ),
  fault(
    'an invalid or ignored index',
    'f_index',
    'cured',
    {
      postgres: [
        'CREATE TABLE f_index (id text COLLATE "C" PRIMARY KEY, n integer)',
        inserting(
          'f_index',
          texts().map((id) => `${id}, 1`),
        ),
        'CREATE INDEX f_index_n ON f_index (n)',
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'f_index_n'::regclass",
      ],
      mariadb: [
        `CREATE TABLE f_index (id ${TEXT.mariadb} PRIMARY KEY, n INTEGER, KEY f_index_n (n) IGNORED)`,
        inserting(
          'f_index',
          texts().map((id) => `${id}, 1`),
        ),
      ],
    },
    'index',
  ),
  fault(
    'a large key of type `uuid` whose ranges the planner misjudges',
    'f_statistics.id',
    'cured',
    {
      postgres: [
        'CREATE TABLE f_statistics (id uuid PRIMARY KEY)',
        'INSERT INTO f_statistics SELECT snoflax.flax_generate_uuid() FROM generate_series(1, 100000)',
        'ANALYZE f_statistics',
      ],
    },
    'statistics',
  ),
]

interface Planted {
  readonly url: string
  run(sql: string): Promise<void>
}

const keyOf = ({ check, where }: Finding): string => `${check} ${where}`

/** Plants all faults in one database, cures them, and gives what became of each. */
async function outcomes(kind: Kind, { url, run }: Planted): Promise<ReadonlyMap<Fault, Outcome>> {
  const faults = FAULTS.filter(({ plant }) => plant[kind])
  for (const { plant } of faults) for (const statement of plant[kind] ?? []) await run(statement)
  const skip = ['--skip', 'drift', 'generator', 'identity']
  const first = await doctor(url, ...skip)
  expect(first.findings.map(keyOf).sort()).toEqual(
    faults.map(({ check, place }) => `${check} ${place}`).sort(),
  )
  expect(JSON.stringify(first)).not.toMatch(/\\u00[89a-f]/)

  const cureAll = async (findings: readonly Finding[]): Promise<void> => {
    for (const { cure } of findings) if (cure.sql !== undefined) await run(cure.sql)
  }
  await cureAll(first.findings)
  const alone = (await doctor(url, ...skip)).findings
  return new Map(
    faults.map((fault) => [fault, alone.some(({ where }) => where === fault.place) ? 'yours' : 'cured']),
  )
}

const PAGE = fileURLToPath(new URL('../../../docs/doctor-faults.txt', import.meta.url))
const OUTCOMES: Readonly<Record<Outcome, string>> = {
  cured: '✓',
  yours: 'yours',
}

/** Writes this database's column of the page; those of databases that the run did not have stay. */
function writePage(kind: Kind, seen: ReadonlyMap<Fault, Outcome>): void {
  const page = readFileSync(PAGE, 'utf8')
  const start = page.indexOf('| fault |')
  const rows = new Map(
    page
      .slice(start)
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .map(([name, ...cells]) => [name, cells]),
  )
  const lines = FAULTS.map((fault) => {
    const earlier = rows.get(fault.name) ?? []
    const cells = KINDS.map((one, n) => {
      if (!fault.plant[one]) return '–'
      return one === kind ? OUTCOMES[seen.get(fault) as Outcome] : (earlier[n] ?? '')
    })
    return `| ${[fault.name, ...cells].join(' | ')} |`
  })
  const head = [`| fault | ${KINDS.map((one) => TITLES[one]).join(' | ')} |`, '| --- | --- | --- | --- |']
  writeFileSync(PAGE, `${page.slice(0, start)}${[...head, ...lines].join('\n')}\n`)
}

describe('every fault of docs/doctor-faults.txt is found, and its statement cures it, or says what is yours to do', () => {
  const wanted = (kind: Kind) =>
    new Map(
      FAULTS.filter(({ plant }) => plant[kind]).map(({ name, cured }) =>
        // SQLite changes no column by a statement.
        [name, kind === 'sqlite' ? 'yours' : cured],
      ),
    )
  const named = (seen: ReadonlyMap<Fault, Outcome>) =>
    new Map([...seen].map(([{ name }, one]) => [name, one]))

  test('SQLite', async () => {
    const database = await sqlite.open()
    database.connection.pragma('foreign_keys = OFF')
    const seen = await outcomes('sqlite', {
      url: database.file,
      run: async (sql) => {
        database.connection.exec(sql)
      },
    })
    expect(named(seen)).toEqual(wanted('sqlite'))
    writePage('sqlite', seen)
    await database.close()
  })

  test('PostgreSQL', async () => {
    const database = await openInstalled()
    const seen = await outcomes('postgres', {
      url: database.url,
      run: async (sql) => {
        await database.query(sql)
      },
    })
    expect(named(seen)).toEqual(wanted('postgres'))
    writePage('postgres', seen)
    await database.close()
  })

  test.runIf(mysql.selected())('MariaDB', async ({ skip }) => {
    const database: MysqlDatabase = await mysql.open()
    if (!database.label.startsWith('MariaDB')) {
      await database.close()
      return skip('MySQL has other types and indexes')
    }
    const session = await database.pool.getConnection()
    const seen = await outcomes('mariadb', {
      url: database.url,
      run: async (sql) => {
        for (const statement of sql.split(';\n')) await session.query(statement)
      },
    })
    session.release()
    expect(named(seen)).toEqual(wanted('mariadb'))
    writePage('mariadb', seen)
    await database.close()
  })
})
