import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { flax, sno, storageFor } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { type MysqlDatabase, mysql, type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { doctor, type Finding } from './reports.js'

type Kind = 'postgres' | 'sqlite' | 'mariadb'
const KINDS = ['postgres', 'sqlite', 'mariadb'] as const
const TITLES = { postgres: 'PostgreSQL', sqlite: 'SQLite', mariadb: 'MariaDB' } as const

/** What is seen of a fault: whether its cure mends it alone, or with new ids, or what it says is yours to do. */
type Outcome = 'cured' | 'new ids' | 'yours'

interface Fault {
  /** As the page names it. */
  readonly name: string
  /** Check and place of the finding. */
  readonly check: string
  readonly place: string
  readonly cured: Outcome
  /** Statements with `$n` in place of texts of ids; none where the database can't have the fault. */
  readonly plant: Partial<Record<Kind, readonly string[]>>
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

const each = (statements: (kind: Kind) => readonly string[]): Record<Kind, readonly string[]> => ({
  postgres: statements('postgres'),
  sqlite: statements('sqlite'),
  mariadb: statements('mariadb'),
})

const many = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n))
const values = (items: readonly string[]): string => items.map((one) => `('${one}')`).join(', ')
const dayAgo = (n: number): number => Date.now() - 86_400_000 + n * 1000
const flaxes = (count = 20): string[] => many(count, (n) => flax.generateAt(dayAgo(n)))
const snos = (count = 20): string[] => many(count, (n) => sno.generateAt(dayAgo(n)))
const quoted = (text: string): string => `'${text}'`
const hexOf = (id: string): string => Buffer.from(flax.decode(id as never)).toString('hex')
const uuid8Of = (id: string): string =>
  storageFor(flax, 'postgres', { storage: 'uuid8' }).toDatabase(id as never) as unknown as string
const uuidOf = (id: string): string =>
  storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(id as never) as unknown as string

/** A table of a text key with these values. */
const textTable = (name: string, items: readonly string[]): Record<Kind, readonly string[]> =>
  each((kind) => [
    `CREATE TABLE ${name} (id ${TEXT[kind]} PRIMARY KEY)`,
    `INSERT INTO ${name} VALUES ${values(items)}`,
  ])

const hexTail = 'lower(hex(randomblob(8)))'
const MONTH_MS = 30 * 86_400_000
const bound = (kind: 'postgres' | 'mariadb', timeMs: number): string => bytes(kind, flax.lowerBound(timeMs))
const kept = flax.generateAt(dayAgo(50))
const twin = flax.generateAt(dayAgo(52))
const shared = flax.generateAt(dayAgo(51))
const parents = flaxes(12)
const owners = flaxes()

/** A fault of some values of a text column, by the ids that they are. */
function keeping(
  name: string,
  table: string,
  right: readonly string[],
  wrong: Readonly<Record<string, (id: string) => string>>,
): Fault {
  const rows = [...right.map(quoted), ...Object.entries(wrong).map(([id, write]) => write(id))]
  const plant = each((kind) => [
    `CREATE TABLE ${table} (id ${TEXT[kind]} PRIMARY KEY)`,
    `INSERT INTO ${table} VALUES ${rows.map((row) => `(${row})`).join(', ')}`,
  ])
  const ids = [...right, ...Object.keys(wrong)]
  return { name, check: 'malformed', place: `${table}.id`, cured: 'cured', plant, ids }
}

const BYTES_FAULT = keeping('bytes in a text column', 'f_bytes', flaxes(), {
  [flax.generateAt(dayAgo(63))]: (id) => bytes('sqlite', id),
})

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
  {
    ...BYTES_FAULT,
    plant: { sqlite: BYTES_FAULT.plant.sqlite ?? [] },
  },
  {
    name: 'uuid8 in a column with storage uuid',
    check: 'malformed',
    place: 'f_uuid.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_uuid (id uuid PRIMARY KEY)',
        `INSERT INTO f_uuid VALUES ${values([...owners.map(uuidOf), uuid8Of(kept)])}`,
      ],
    },
    ids: [...owners, kept].map(uuidOf),
  },
  {
    name: 'a text that is not an id',
    check: 'malformed',
    place: 'f_lost.id',
    cured: 'new ids',
    plant: textTable('f_lost', [...flaxes(), 'nothing']),
  },
  {
    name: 'a key with other UUIDs before ours',
    check: 'malformed',
    place: 'f_changed.id',
    cured: 'new ids',
    plant: textTable('f_changed', [
      ...many(30, (n) => `00000000-0000-4000-8000-0000000000${n + 10}`),
      ...flaxes(),
    ]),
  },
  {
    name: 'ids of two families in one key',
    check: 'malformed',
    place: 'f_mixed.id',
    cured: 'new ids',
    plant: textTable('f_mixed', [...flaxes(), ...snos(15)]),
  },
  {
    name: 'ids from the future',
    check: 'future',
    place: 'f_future.id',
    cured: 'new ids',
    plant: textTable('f_future', [...flaxes(), flax.generateAt(Date.now() + 1e9)]),
  },
  {
    name: 'a collation that sorts by language or ignores case',
    check: 'collation',
    place: 'f_collation.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_collation (id text COLLATE "en-x-icu" PRIMARY KEY)',
        `INSERT INTO f_collation VALUES ${values(flaxes())}`,
      ],
      sqlite: [
        'CREATE TABLE f_collation (id TEXT COLLATE NOCASE PRIMARY KEY)',
        `INSERT INTO f_collation VALUES ${values(flaxes())}`,
      ],
      mariadb: [
        'CREATE TABLE f_collation (id VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY)',
        `INSERT INTO f_collation VALUES ${values(flaxes())}`,
      ],
    },
  },
  {
    name: '`citext`',
    check: 'type',
    place: 'f_citext.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE EXTENSION IF NOT EXISTS citext',
        'CREATE TABLE f_citext (id citext PRIMARY KEY)',
        `INSERT INTO f_citext VALUES ${values(flaxes())}`,
      ],
    },
  },
  {
    name: 'a fixed-length type that pads: `char(20)`, `BINARY(16)`',
    check: 'type',
    place: 'f_padded.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_padded (id char(20) COLLATE "C" PRIMARY KEY)',
        `INSERT INTO f_padded VALUES ${values(flaxes())}`,
      ],
      mariadb: [
        'CREATE TABLE f_padded (id BINARY(16) PRIMARY KEY)',
        `INSERT INTO f_padded VALUES ${flaxes()
          .map((id) => `(${bytes('mariadb', id)})`)
          .join(', ')}`,
      ],
    },
  },
  {
    name: 'a type that truncated the text: `varchar(12)`',
    check: 'type',
    place: 'f_cut.id',
    cured: 'new ids',
    plant: {
      postgres: [
        'CREATE TABLE f_cut (id varchar(12) COLLATE "C" PRIMARY KEY)',
        `INSERT INTO f_cut VALUES ${values(flaxes().map((id) => id.slice(0, 12)))}`,
      ],
      mariadb: [
        'CREATE TABLE f_cut (id VARCHAR(12) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY)',
        `INSERT INTO f_cut VALUES ${values(flaxes().map((id) => id.slice(0, 12)))}`,
      ],
    },
  },
  {
    name: 'numbers in a type that rounds: `double precision`, `REAL`',
    check: 'type',
    place: 'f_rounded.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_rounded (id double precision PRIMARY KEY)',
        `INSERT INTO f_rounded VALUES ${many(20, (n) => `(${(BigInt(dayAgo(n)) << 22n) + 4096n})`).join(', ')}`,
      ],
      sqlite: [
        'CREATE TABLE f_rounded (id REAL PRIMARY KEY)',
        `INSERT INTO f_rounded VALUES ${many(20, (n) => `(${(BigInt(dayAgo(n)) << 22n) + 4096n})`).join(', ')}`,
      ],
      mariadb: [
        'CREATE TABLE f_rounded (id DOUBLE PRIMARY KEY)',
        `INSERT INTO f_rounded VALUES ${many(20, (n) => `(${(BigInt(dayAgo(n)) << 22n) + 4096n})`).join(', ')}`,
      ],
    },
  },
  {
    name: 'one id in several rows, without a unique index',
    check: 'duplicate',
    place: 'f_twice.id',
    cured: 'new ids',
    plant: each((kind) => [
      `CREATE TABLE f_twice (id ${TEXT[kind]})`,
      `INSERT INTO f_twice VALUES ${values([...flaxes(), twin, twin, twin])}`,
    ]),
  },
  {
    name: 'one id in the keys of two tables',
    check: 'duplicate',
    place: 'f_other.id',
    cured: 'new ids',
    plant: each((kind) => [
      `CREATE TABLE f_one (id ${TEXT[kind]} PRIMARY KEY)`,
      `CREATE TABLE f_other (id ${BYTES[kind]} PRIMARY KEY)`,
      `INSERT INTO f_one VALUES ${values([...flaxes(9), shared])}`,
      `INSERT INTO f_other VALUES ${[...flaxes(20), shared].map((id) => `(${bytes(kind, id)})`).join(', ')}`,
    ]),
  },
  {
    name: 'a default that generates other values',
    check: 'default',
    place: 'f_default.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_default (id text COLLATE "C" PRIMARY KEY DEFAULT gen_random_uuid()::text)',
        `INSERT INTO f_default VALUES ${values(flaxes())}`,
      ],
      sqlite: [
        `CREATE TABLE f_default (id TEXT PRIMARY KEY DEFAULT (${hexTail}))`,
        `INSERT INTO f_default VALUES ${values(flaxes())}`,
      ],
      mariadb: [
        `CREATE TABLE f_default (id ${TEXT.mariadb} DEFAULT (uuid()) PRIMARY KEY)`,
        `INSERT INTO f_default VALUES ${values(flaxes())}`,
      ],
    },
  },
  {
    name: 'a trigger that overwrites ids',
    check: 'trigger',
    place: 'f_trigger.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_trigger (id text COLLATE "C" PRIMARY KEY)',
        `INSERT INTO f_trigger VALUES ${values(flaxes())}`,
        `CREATE FUNCTION f_overwrite() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF NEW.id = 'x' THEN RAISE EXCEPTION 'x'; END IF;
            NEW.id := snoflax.flax_generate_text();
            RETURN NEW;
          END $$`,
        'CREATE TRIGGER f_overwrites BEFORE INSERT ON f_trigger FOR EACH ROW EXECUTE FUNCTION f_overwrite()',
      ],
      sqlite: [
        'CREATE TABLE f_trigger (id TEXT PRIMARY KEY)',
        `INSERT INTO f_trigger VALUES ${values(flaxes())}`,
        `CREATE TRIGGER f_overwrites AFTER INSERT ON f_trigger BEGIN
          UPDATE f_trigger SET id = ${hexTail} WHERE rowid = new.rowid; END`,
      ],
      mariadb: [
        `CREATE TABLE f_trigger (id ${TEXT.mariadb} PRIMARY KEY)`,
        `INSERT INTO f_trigger VALUES ${values(flaxes())}`,
        'CREATE TRIGGER f_overwrites BEFORE INSERT ON f_trigger FOR EACH ROW SET NEW.id = left(uuid(), 16)',
      ],
    },
  },
  {
    name: 'a foreign key that was never checked',
    check: 'reference',
    place: 'f_unchecked.customer_id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_checked (id text COLLATE "C" PRIMARY KEY)',
        `INSERT INTO f_checked VALUES ${values(parents)}`,
        'CREATE TABLE f_unchecked (n integer, customer_id text COLLATE "C")',
        'ALTER TABLE f_unchecked ADD CONSTRAINT f_key FOREIGN KEY (customer_id) REFERENCES f_checked NOT VALID',
      ],
    },
  },
  {
    name: 'a foreign key that references a missing row',
    check: 'reference',
    place: 'f_orphan.parent_id',
    cured: 'yours',
    plant: {
      postgres: [
        'CREATE TABLE f_parent (id text COLLATE "C" PRIMARY KEY)',
        `INSERT INTO f_parent VALUES ${values(flaxes())}`,
        'CREATE TABLE f_orphan (n integer, parent_id text COLLATE "C" REFERENCES f_parent)',
        'ALTER TABLE f_orphan DISABLE TRIGGER ALL',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
        'ALTER TABLE f_orphan ENABLE TRIGGER ALL',
      ],
      sqlite: [
        'CREATE TABLE f_parent (id TEXT PRIMARY KEY)',
        `INSERT INTO f_parent VALUES ${values(flaxes())}`,
        'CREATE TABLE f_orphan (n INTEGER, parent_id TEXT REFERENCES f_parent)',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
      ],
      mariadb: [
        `CREATE TABLE f_parent (id ${TEXT.mariadb} PRIMARY KEY)`,
        `INSERT INTO f_parent VALUES ${values(flaxes())}`,
        `CREATE TABLE f_orphan (n INTEGER, parent_id ${TEXT.mariadb}, FOREIGN KEY (parent_id) REFERENCES f_parent (id))`,
        'SET foreign_key_checks = 0',
        `INSERT INTO f_orphan VALUES (1, '${kept}')`,
        'SET foreign_key_checks = 1',
      ],
    },
  },
  {
    name: "another table's ids in another storage",
    check: 'reference',
    place: 'f_joined.owner_id',
    cured: 'cured',
    plant: each((kind) => {
      const ids = flaxes()
      return [
        `CREATE TABLE f_owner (id ${BYTES[kind]} PRIMARY KEY)`,
        `CREATE TABLE f_joined (n INTEGER, owner_id ${kind === 'mariadb' ? 'CHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : TEXT[kind]})`,
        `INSERT INTO f_owner VALUES ${ids.map((id) => `(${bytes(kind, id)})`).join(', ')}`,
        `INSERT INTO f_joined VALUES ${ids
          .slice(5)
          .map((id) => `(1, '${id}')`)
          .join(', ')}`,
      ]
    }),
  },
  {
    name: 'NULL in a primary key',
    check: 'null',
    place: 'f_null.id',
    cured: 'new ids',
    plant: {
      sqlite: [
        'CREATE TABLE f_null (id TEXT PRIMARY KEY)',
        `INSERT INTO f_null VALUES ${values(flaxes())}, (NULL), (NULL)`,
      ],
    },
  },
  {
    name: 'an invalid or ignored index',
    check: 'index',
    place: 'f_index',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_index (id text COLLATE "C" PRIMARY KEY, n integer)',
        `INSERT INTO f_index VALUES ${flaxes()
          .map((id) => `('${id}', 1)`)
          .join(', ')}`,
        'CREATE INDEX f_index_n ON f_index (n)',
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'f_index_n'::regclass",
      ],
      mariadb: [
        `CREATE TABLE f_index (id ${TEXT.mariadb} PRIMARY KEY, n INTEGER, KEY f_index_n (n) IGNORED)`,
        `INSERT INTO f_index VALUES ${flaxes()
          .map((id) => `('${id}', 1)`)
          .join(', ')}`,
      ],
    },
  },
  {
    name: 'partitions that end within a week',
    check: 'partition',
    place: 'f_parts.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_parts (id bytea PRIMARY KEY) PARTITION BY RANGE (id)',
        `CREATE TABLE f_parts_1 PARTITION OF f_parts FOR VALUES FROM (${bound('postgres', Date.now() - MONTH_MS)}) TO (${bound('postgres', Date.now() + 3_600_000)})`,
        `INSERT INTO f_parts VALUES ${flaxes()
          .map((id) => `(${bytes('postgres', id)})`)
          .join(', ')}`,
      ],
      mariadb: [
        `CREATE TABLE f_parts (id BINARY(12) PRIMARY KEY) PARTITION BY RANGE COLUMNS (id) (
          PARTITION p0 VALUES LESS THAN (${bound('mariadb', Date.now() - MONTH_MS)}),
          PARTITION p1 VALUES LESS THAN (${bound('mariadb', Date.now() + 3_600_000)}))`,
        `INSERT INTO f_parts VALUES ${flaxes()
          .map((id) => `(${bytes('mariadb', id)})`)
          .join(', ')}`,
      ],
    },
  },
  {
    name: 'a large key of type `uuid` whose ranges the planner misjudges',
    check: 'statistics',
    place: 'f_statistics.id',
    cured: 'cured',
    plant: {
      postgres: [
        'CREATE TABLE f_statistics (id uuid PRIMARY KEY)',
        'INSERT INTO f_statistics SELECT snoflax.flax_generate_uuid() FROM generate_series(1, 100000)',
        'ANALYZE f_statistics',
      ],
    },
  },
]

interface Planted {
  readonly url: string
  run(sql: string): Promise<void>
  /** All values of a column as text. */
  valuesOf(place: string): Promise<string[]>
}

const asks = (faults: readonly Fault[]): string[] =>
  faults.flatMap(({ cured, place }) => (cured === 'new ids' ? ['--new-ids', place] : []))

const keyOf = ({ check, where }: Finding): string => `${check} ${where}`

/** Plants all faults in one database, cures them, and gives what became of each. */
async function outcomes(kind: Kind, { url, run, valuesOf }: Planted): Promise<ReadonlyMap<Fault, Outcome>> {
  const faults = FAULTS.filter(({ plant }) => plant[kind])
  for (const { plant } of faults) for (const statement of plant[kind] ?? []) await run(statement)
  const skip = ['--skip', 'drift', 'cross-check', 'generator', 'identity']
  const first = await doctor(url, ...skip)
  expect(first.findings.map(keyOf).sort()).toEqual(
    faults.map(({ check, place }) => `${check} ${place}`).sort(),
  )
  expect(JSON.stringify(first)).not.toMatch(/\\u00[89a-f]/)

  const tried = await doctor(url, ...skip, ...asks(faults), '--dry-run')
  expect((await doctor(url, ...skip)).findings.map(keyOf)).toEqual(first.findings.map(keyOf))
  if (kind !== 'mariadb') expect(tried.dryRun?.refused).toEqual([])

  const cureAll = async (findings: readonly Finding[]): Promise<void> => {
    for (const { cure } of findings) if (cure.sql !== undefined) await run(cure.sql)
  }
  await cureAll(first.findings)
  const alone = (await doctor(url, ...skip)).findings
  for (const { place, ids } of faults)
    if (ids) expect((await valuesOf(place)).sort()).toEqual([...ids].sort())
  await cureAll((await doctor(url, ...skip, ...asks(faults))).findings)
  const left = (await doctor(url, ...skip)).findings
  // Cut texts are seen as what they are once the type has room for them.
  const isOf = (fault: Fault, { where }: Finding): boolean => where === fault.place
  return new Map(
    faults.map((fault) => {
      if (!alone.some((one) => isOf(fault, one))) return [fault, 'cured']
      return [fault, left.some((one) => isOf(fault, one)) ? 'yours' : 'new ids']
    }),
  )
}

const PAGE = fileURLToPath(new URL('../../../docs/doctor-faults.txt', import.meta.url))
const OUTCOMES: Readonly<Record<Outcome, string>> = {
  cured: '✓',
  'new ids': 'new ids',
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

describe('every fault of docs/doctor-faults.txt is found, and its cure mends it and loses nothing', () => {
  const wanted = (kind: Kind) =>
    new Map(FAULTS.filter(({ plant }) => plant[kind]).map((fault) => [fault.name, rowNameless(kind, fault)]))
  /** MariaDB has no name for a row, by which one of two equal ones could be changed. */
  const rowNameless = (kind: Kind, { place, cured }: Fault): Outcome =>
    kind === 'mariadb' && place === 'f_twice.id' ? 'yours' : cured
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
      valuesOf: async (place) => {
        const [table, column] = place.split('.')
        return database.connection.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as string[]
      },
    })
    expect(named(seen)).toEqual(wanted('sqlite'))
    writePage('sqlite', seen)
    await database.close()
  })

  test('PostgreSQL', async () => {
    const template = {
      name: 'installed_for_cli',
      prepare: async ({ pool }: PostgresDatabase) => {
        await install(pool)
      },
    }
    const database = await postgres.open({ template })
    const seen = await outcomes('postgres', {
      url: database.url,
      run: async (sql) => {
        await database.query(sql)
      },
      valuesOf: async (place) => {
        const [table, column] = place.split('.')
        return (await database.query(`SELECT ${column}::text AS id FROM ${table}`)).map(({ id }) =>
          String(id),
        )
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
      valuesOf: async (place) => {
        const [table, column] = place.split('.')
        return (await database.query(`SELECT ${column} AS id FROM ${table}`)).map(({ id }) => String(id))
      },
    })
    session.release()
    expect(named(seen)).toEqual(wanted('mariadb'))
    writePage('mariadb', seen)
    await database.close()
  })
})
