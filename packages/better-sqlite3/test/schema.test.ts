import { registerSnoflax } from '@snoflax/better-sqlite3'
import { flake, sno } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const GENERATORS = {
  sno: sno.generator({ partition: 7 }),
  flake: flake.generator({ datacenter: 1, worker: 2 }),
}

let database: SqliteDatabase
let connection: Database.Database
beforeEach(async () => {
  database = await sqlite.open()
  connection = registerSnoflax(database.connection, { generators: GENERATORS })
})
afterEach(() => database.close())

const rows = (sql: string, ...values: unknown[]): unknown[] => connection.prepare(sql).all(...values)

const plan = (sql: string): string =>
  connection
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
    .join('; ')

/** A table of three rows, one in each of the first three months of 2026. */
function createLog(columns = ''): void {
  connection.exec(`
    CREATE TABLE log (id TEXT PRIMARY KEY, line TEXT${columns}) WITHOUT ROWID;
    INSERT INTO log (id, line)
    SELECT flax_encode(flax_generate_at(printf('2026-%02d-15', value))), 'month ' || value
      FROM json_each('[1, 2, 3]')`)
}

describe('defaults', () => {
  test('make ids in each storage, of the type that a STRICT table asks for', () => {
    connection.exec(`CREATE TABLE customer (
      id TEXT PRIMARY KEY DEFAULT (flax_generate_text()), trace BLOB DEFAULT (sno_generate(3)), name TEXT) STRICT`)
    const insert = connection.prepare("INSERT INTO customer (name) VALUES ('Ada'), ('Bob') RETURNING *")
    const made = insert.all() as { id: string; trace: Buffer }[]
    expect(new Set(made.map(({ id }) => id)).size).toBe(2)
    expect(
      rows('SELECT typeof(id) AS id, typeof(trace) AS trace, sno_meta(trace) AS meta FROM customer'),
    ).toEqual([
      { id: 'text', trace: 'blob', meta: 3 },
      { id: 'text', trace: 'blob', meta: 3 },
    ])
    expect(
      rows("SELECT abs(unixepoch(flax_time(id)) - unixepoch('now')) < 5 AS fresh FROM customer LIMIT 1"),
    ).toEqual([{ fresh: 1 }])
  })

  test('of a bigint key need WITHOUT ROWID, or a type that is not exactly INTEGER', () => {
    const create = (name: string, type: string, options = '') =>
      connection.exec(
        `CREATE TABLE ${name} (id ${type} PRIMARY KEY DEFAULT (flake_generate_bigint()), n INTEGER) ${options};
         INSERT INTO ${name} (n) VALUES (1)`,
      )
    create('without_rowid', 'INTEGER', 'WITHOUT ROWID')
    create('with_bigint', 'BIGINT')
    // SQLite takes the key for its own row number and never looks at the default.
    create('with_rowid', 'INTEGER')
    const madeOf = (name: string) =>
      rows(`SELECT typeof(id) AS type, flake_unpack(id) ->> 'worker' AS worker FROM ${name}`)
    expect(madeOf('without_rowid')).toEqual([{ type: 'integer', worker: 2 }])
    expect(madeOf('with_bigint')).toEqual([{ type: 'integer', worker: 2 }])
    expect(rows('SELECT id FROM with_rowid')).toEqual([{ id: 1 }])
  })

  test('keep an id that was given', () => {
    connection.exec('CREATE TABLE customer (id TEXT PRIMARY KEY DEFAULT (flax_generate_text()))')
    connection.exec("INSERT INTO customer VALUES ('Kpcan0M1FakODT4k')")
    expect(rows('SELECT id FROM customer')).toEqual([{ id: 'Kpcan0M1FakODT4k' }])
  })
})

describe('ranges', () => {
  test('on the key search it', () => {
    createLog()
    const query =
      "SELECT line FROM log WHERE id >= flax_lower_bound_text('2026-02-01') AND id < flax_lower_bound_text('2026-03-01')"
    expect(rows(query)).toEqual([{ line: 'month 2' }])
    expect(plan(query)).toBe('SEARCH log USING PRIMARY KEY (id>? AND id<?)')
  })

  test('of parameters too', () => {
    createLog()
    const query = 'SELECT line FROM log WHERE id >= flax_lower_bound_ms_text(?)'
    expect(rows(query, Date.UTC(2026, 2, 1))).toEqual([{ line: 'month 3' }])
    expect(plan(query.replace('?', '0'))).toBe('SEARCH log USING PRIMARY KEY (id>?)')
  })

  test.each([
    ['flake_generate_bigint()', 'INTEGER', 'flake_lower_bound_bigint'],
    ['flake_generate()', 'BLOB', 'flake_lower_bound'],
    ['sno_generate_text()', 'TEXT', 'sno_lower_bound_text'],
  ])('of %s', (make, type, bound) => {
    connection.exec(
      `CREATE TABLE event (id ${type} PRIMARY KEY DEFAULT (${make}), n INTEGER) STRICT, WITHOUT ROWID`,
    )
    connection.exec('INSERT INTO event (n) VALUES (1), (2), (3)')
    const between = `id >= ${bound}(datetime('now', '-1 minute')) AND id < ${bound}(datetime('now', '+1 minute'))`
    expect(rows(`SELECT n FROM event WHERE ${between} ORDER BY id`)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(rows(`SELECT n FROM event WHERE id >= ${bound}(datetime('now', '+1 minute'))`)).toEqual([])
  })
})

describe('generated columns', () => {
  test.each(['VIRTUAL', 'STORED'])('%s ones tell the time', (kind) => {
    createLog(`, created_at TEXT GENERATED ALWAYS AS (flax_time(id)) ${kind}`)
    expect(rows('SELECT created_at FROM log ORDER BY id')).toEqual([
      { created_at: '2026-01-15 00:00:00.000' },
      { created_at: '2026-02-15 00:00:00.000' },
      { created_at: '2026-03-15 00:00:00.000' },
    ])
  })

  test('can be indexed', () => {
    createLog(', month TEXT AS (substr(flax_time(id), 1, 7))')
    connection.exec('CREATE INDEX log_month ON log (month)')
    const query = "SELECT line FROM log WHERE month = '2026-02'"
    expect(rows(query)).toEqual([{ line: 'month 2' }])
    expect(plan(query)).toBe('SEARCH log USING INDEX log_month (month=?)')
  })
})

test('expression indexes are used, and stay right through updates', () => {
  createLog()
  connection.exec('CREATE INDEX log_day ON log (date(flax_time(id)))')
  const query = "SELECT line FROM log WHERE date(flax_time(id)) = '2026-02-15'"
  expect(plan(query)).toBe('SEARCH log USING INDEX log_day (<expr>=?)')
  expect(rows(query)).toEqual([{ line: 'month 2' }])
  connection.exec("UPDATE log SET id = flax_encode(flax_generate_at('2026-02-15')) WHERE line = 'month 3'")
  expect(rows(query)).toHaveLength(2)
  expect(connection.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

test.each([
  'CREATE INDEX i ON log (flax_generate())',
  'ALTER TABLE log ADD made TEXT AS (flax_generate_text())',
])('what makes ids is no part of a key: %s', (statement) => {
  createLog()
  expect(() => connection.exec(statement)).toThrow('non-deterministic functions prohibited')
})

test('checks keep out what is no id', () => {
  connection.exec('CREATE TABLE customer (id TEXT PRIMARY KEY CHECK (flax_is_valid(id))) STRICT')
  connection.exec("INSERT INTO customer VALUES ('Kpcan0M1FakODT4k')")
  expect(() => connection.exec("INSERT INTO customer VALUES ('kpcan0m1fakodt4')")).toThrow(
    'CHECK constraint failed: flax_is_valid(id)',
  )
})

test('triggers and views have them', () => {
  createLog()
  connection.exec(`
    CREATE TABLE audit (id TEXT PRIMARY KEY, log TEXT);
    CREATE TRIGGER log_audit AFTER INSERT ON log BEGIN
      INSERT INTO audit VALUES (sno_generate_text(9), new.id);
    END;
    CREATE VIEW log_times AS SELECT line, flax_time(id) AS created_at FROM log;
    INSERT INTO log VALUES ('Kpcan0M1FakODT4k', 'audited')`)
  expect(rows('SELECT log, sno_meta(id) AS meta FROM audit')).toEqual([{ log: 'Kpcan0M1FakODT4k', meta: 9 }])
  expect(rows("SELECT created_at FROM log_times WHERE line = 'audited'")).toEqual([
    { created_at: '2026-11-21 07:10:46.805' },
  ])
})

describe('another connection', () => {
  test('needs them registered too before it uses what needs them', () => {
    createLog(', created_at TEXT AS (flax_time(id))')
    const other = new Database(database.file)
    try {
      expect(other.prepare('SELECT line FROM log ORDER BY id').pluck().get()).toBe('month 1')
      expect(() => other.prepare('SELECT created_at FROM log').all()).toThrow('unknown function: flax_time()')
      registerSnoflax(other)
      expect(other.prepare('SELECT created_at FROM log').all()).toHaveLength(3)
    } finally {
      other.close()
    }
  })

  test('that trusts no schema has them in queries only', () => {
    createLog('')
    connection.exec('CREATE VIEW times AS SELECT flax_time(id) AS created_at FROM log')
    connection.pragma('trusted_schema = OFF')
    expect(rows('SELECT flax_time(id) FROM log')).toHaveLength(3)
    expect(() => rows('SELECT * FROM times')).toThrow('unsafe use of flax_time()')
  })
})

test('a database in UTF-16 has the same', () => {
  const utf16 = new Database(':memory:')
  utf16.pragma("encoding = 'UTF-16'")
  registerSnoflax(utf16).exec(
    'CREATE TABLE t (id TEXT DEFAULT (flax_generate_text())); INSERT INTO t DEFAULT VALUES',
  )
  expect(utf16.prepare('SELECT flax_is_valid(id) FROM t').pluck().get()).toBe(1)
  utf16.close()
})
