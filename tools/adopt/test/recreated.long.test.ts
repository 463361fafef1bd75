import { planAdoption, type TableOptions } from '@snoflax/adopt'
import { type PostgresDatabase, poolTo, postgres } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { carryOut, finished, flaxes, plan, switchOver } from './moves.js'

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open()
})
afterEach(() => database.close())

const TABLES: TableOptions[] = [
  { table: 'orders', createdAt: 'at', generator: flaxes },
  { table: 'customer', createdAt: 'at', generator: flaxes },
]

const SHOP = [
  'CREATE TABLE customer (id serial PRIMARY KEY, at timestamptz NOT NULL, name text)',
  `CREATE TABLE orders (id serial PRIMARY KEY, customer_id integer NOT NULL REFERENCES customer, gift_to integer REFERENCES customer,
     parent integer REFERENCES orders, at timestamptz NOT NULL, note text, updated timestamptz)`,
  "INSERT INTO customer (at, name) SELECT '2021-01-01Z'::timestamptz + n * interval '1 day', 'c' || n FROM generate_series(1, 20) AS n",
  `INSERT INTO orders (customer_id, gift_to, parent, at, note)
   SELECT 1 + n % 20, CASE WHEN n % 3 = 0 THEN 1 + (n + 7) % 20 END, nullif(n / 2, 0), '2021-02-01Z'::timestamptz + n * interval '1 hour', 'n' || n
     FROM generate_series(1, 60) AS n`,
]

/** What the catalog says of everything that is recreated, without types. */
const CATALOG = `
  SELECT 'view ' || c.oid::regclass AS what, concat_ws(' | ', pg_get_viewdef(c.oid), reloptions, pg_get_userbyid(relowner), relispopulated,
      obj_description(c.oid), (SELECT string_agg(concat(attname, ':', col_description(c.oid, attnum), attacl), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0)) AS is
    FROM pg_class AS c WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'acl ' || c.oid::regclass, string_agg(concat(grantee::regrole, privilege_type, is_grantable), ',' ORDER BY grantee, privilege_type)
    FROM pg_class AS c, aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm') GROUP BY c.oid
  UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat('trigger ', tgrelid::regclass, ' ', tgname), concat(pg_get_triggerdef(oid), tgenabled, obj_description(oid, 'pg_trigger')) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'rule ' || rulename, pg_get_ruledef(oid) FROM pg_rewrite WHERE rulename <> '_RETURN' AND ev_class::regclass::text NOT LIKE 'pg_%'
  UNION ALL SELECT concat('policy ', tablename, ' ', policyname), concat(permissive, roles, cmd, qual, with_check) FROM pg_policies
  UNION ALL SELECT concat('constraint ', conrelid::regclass, ' ', conname), concat(pg_get_constraintdef(oid), convalidated, obj_description(oid, 'pg_constraint'))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT 'statistics ' || stxname, pg_get_statisticsobjdef(oid) FROM pg_statistic_ext
  UNION ALL SELECT 'function ' || oid::regprocedure, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
  UNION ALL SELECT concat('column ', attrelid::regclass, '.', attname), concat(attacl, col_description(attrelid, attnum), attoptions, attstattarget)
    FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid WHERE relkind IN ('r', 'm') AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'placed ' || c.oid::regclass, concat(spcname, obj_description(c.oid)) FROM pg_class AS c LEFT JOIN pg_tablespace AS s ON s.oid = reltablespace
    WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'target ' || stxname, (to_jsonb(s) ->> 'stxstattarget') FROM pg_statistic_ext AS s
  UNION ALL SELECT 'clustered ' || indexrelid::regclass, 'yes' FROM pg_index WHERE indisclustered
  UNION ALL SELECT 'replica identity ' || oid::regclass, relreplident::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY 1, 2`

async function run(statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.query(sql)
}

/** The whole move; what the views show and the catalog says is the same behind it. */
async function moved(views: readonly string[] = [], ignore: readonly string[] = []): Promise<void> {
  const shown = async () => {
    const rows = await Promise.all(views.map((view) => database.query(`SELECT ${view}`)))
    return rows.map((one) => one.map((row) => JSON.stringify(row)).sort())
  }
  const before = [await shown(), await database.query(CATALOG)]
  const adoption = await plan(database, TABLES, { ignore })
  expect(await database.query(CATALOG)).toEqual(before[1])
  await carryOut(adoption)
  await finished(database, adoption)
  expect([await shown(), await database.query(CATALOG)]).toEqual(before)
}

test('views on views are recreated, with everything that belongs to them', async () => {
  const reader = await database.role()
  await run([
    ...SHOP,
    // Grouped by the primary key alone, which the server has to know to be one.
    `CREATE VIEW spent WITH (security_barrier = true) AS
       SELECT c.id AS customer_id, c.name, count(*) AS orders FROM customer AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id`,
    'CREATE VIEW best AS SELECT name, s.orders FROM spent AS s WHERE customer_id IN (SELECT gift_to FROM orders)',
    `CREATE MATERIALIZED VIEW totals AS SELECT customer_id, count(*) AS n, min(note) AS first FROM orders GROUP BY customer_id`,
    'CREATE UNIQUE INDEX totals_customer ON totals (customer_id)',
    "COMMENT ON INDEX totals_customer IS 'one each'",
    'ALTER MATERIALIZED VIEW totals CLUSTER ON totals_customer',
    'ALTER MATERIALIZED VIEW totals ALTER COLUMN customer_id SET STATISTICS 33, ALTER COLUMN n SET (n_distinct = 5)',
    'CREATE MATERIALIZED VIEW asleep AS SELECT id FROM orders WITH NO DATA',
    'CREATE VIEW named AS SELECT c.name, t.n, t.first FROM totals AS t JOIN customer AS c ON c.id = t.customer_id',
    'CREATE VIEW notes WITH (check_option = local) AS SELECT id, note FROM orders WHERE note IS NOT NULL',
    "ALTER VIEW notes ALTER COLUMN note SET DEFAULT 'nothing'",
    'CREATE FUNCTION write_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'CREATE TRIGGER written INSTEAD OF INSERT ON best FOR EACH ROW EXECUTE FUNCTION write_note()',
    "COMMENT ON TRIGGER written ON best IS 'writes'",
    'CREATE RULE quiet AS ON DELETE TO named DO INSTEAD NOTHING',
    "COMMENT ON VIEW spent IS 'what they spent'",
    "COMMENT ON COLUMN spent.orders IS 'how many'",
    "COMMENT ON MATERIALIZED VIEW totals IS 'by customer'",
    `GRANT SELECT ON spent, totals, customer TO ${reader.name}`,
    `GRANT UPDATE (note) ON notes TO ${reader.name}`,
    `ALTER VIEW named OWNER TO ${reader.name}`,
    `ALTER DEFAULT PRIVILEGES GRANT DELETE ON TABLES TO ${reader.name}`,
  ])
  await moved([
    'name, orders FROM spent',
    'name, orders FROM best',
    'n, first FROM totals',
    'name, n, first FROM named',
    'note FROM notes',
  ])
})

test('checks, exclusion constraints, statistics, policies, triggers, functions and properties of a column are recreated', async () => {
  const reader = await database.role()
  await run([
    ...SHOP,
    'ALTER TABLE orders ADD CONSTRAINT not_itself CHECK (parent <> id), ADD CONSTRAINT one CHECK (num_nulls(customer_id, note) = 0) NOT VALID',
    "COMMENT ON CONSTRAINT not_itself ON orders IS 'no circle'",
    "COMMENT ON CONSTRAINT orders_pkey ON orders IS 'the key'",
    "COMMENT ON CONSTRAINT orders_customer_id_fkey ON orders IS 'who pays'",
    'ALTER TABLE orders ADD CONSTRAINT once EXCLUDE (customer_id WITH =, note WITH =)',
    'CREATE STATISTICS pair ON customer_id, gift_to FROM orders',
    'ALTER STATISTICS pair SET STATISTICS 77',
    'CREATE POLICY mine ON orders FOR SELECT TO PUBLIC USING (customer_id IN (SELECT id FROM customer WHERE name = current_user))',
    "CREATE POLICY theirs ON customer AS RESTRICTIVE USING (name <> 'x') WITH CHECK (EXISTS (SELECT FROM orders WHERE customer_id = customer.id))",
    'CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated := now(); RETURN NEW; END $$',
    'CREATE TRIGGER touched BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch()',
    'CREATE TRIGGER moved AFTER UPDATE OF customer_id ON orders FOR EACH ROW WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id) EXECUTE FUNCTION touch()',
    'ALTER TABLE orders DISABLE TRIGGER moved',
    "CREATE FUNCTION label(wanted text) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT name || ' ' || count(o.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE name = wanted GROUP BY c.name; END",
    'CREATE INDEX gifts ON orders (gift_to) WHERE gift_to IS NOT NULL',
    'CREATE INDEX hashed ON orders USING hash (customer_id)',
    'CREATE INDEX ranges ON orders USING brin (customer_id)',
    "CREATE INDEX shown ON orders ((id::varchar || 'x'), (coalesce(gift_to, customer_id)))",
    "COMMENT ON INDEX gifts IS 'of gifts'",
    'CREATE INDEX by_customer ON orders (customer_id)',
    'ALTER TABLE orders CLUSTER ON by_customer',
    'ALTER TABLE customer REPLICA IDENTITY USING INDEX customer_pkey',
    "COMMENT ON COLUMN orders.customer_id IS 'who pays'",
    `GRANT SELECT (customer_id), UPDATE (customer_id, note) ON orders TO ${reader.name}`,
    'ALTER TABLE orders ALTER COLUMN customer_id SET STATISTICS 500, ALTER COLUMN customer_id SET (n_distinct = 7)',
  ])
  const [before] = await database.query('SELECT count(updated)::integer AS n FROM orders')
  await moved(["label('c3')", "label('c9')"], ['constraint one on table public.orders', 'index shown'])
  // The trigger did not notice rows that were filled.
  expect(await database.query('SELECT count(updated)::integer AS n FROM orders')).toEqual([before])
  const [first] = await database.query('SELECT id, parent FROM orders ORDER BY id LIMIT 1')
  await expect(
    database.query('UPDATE orders SET parent = id WHERE id = $1', [first?.['id']]),
  ).rejects.toThrow(/not_itself/)
  expect(await database.query('SELECT count(updated)::integer AS n FROM orders')).toEqual([before])
  await database.query("UPDATE orders SET note = 'changed' WHERE id = $1", [first?.['id']])
  expect(await database.query('SELECT count(updated)::integer AS n FROM orders')).toEqual([{ n: 1 }])
})

test('a unique constraint with NULLS NOT DISTINCT is built in the switch', async ({ skip }) => {
  skip(database.version < 15, 'since PostgreSQL 15')
  await run([
    ...SHOP,
    'ALTER TABLE orders ADD CONSTRAINT once UNIQUE NULLS NOT DISTINCT (gift_to, note)',
    "COMMENT ON CONSTRAINT once ON orders IS 'one'",
    'CREATE UNIQUE INDEX twice ON orders (parent, note) NULLS NOT DISTINCT',
  ])
  await moved()
})

test('indexes stay in their tablespaces', async ({ skip }) => {
  skip(database.version < 15, 'tablespaces without a directory since PostgreSQL 15')
  const space = `snoflax_${process.pid}`
  const client = await database.pool.connect()
  await client.query('SET allow_in_place_tablespaces = on')
  await client.query(`CREATE TABLESPACE ${space} LOCATION ''`)
  client.release()
  try {
    await run([
      ...SHOP.slice(0, 1),
      `CREATE TABLE orders (id serial PRIMARY KEY USING INDEX TABLESPACE ${space}, at timestamptz NOT NULL, customer_id integer REFERENCES customer,
         CONSTRAINT once UNIQUE NULLS NOT DISTINCT (customer_id) USING INDEX TABLESPACE ${space} DEFERRABLE)`,
      `CREATE INDEX few ON orders (customer_id) WITH (fillfactor = 50) TABLESPACE ${space} WHERE customer_id IS NOT NULL`,
      'CREATE MATERIALIZED VIEW buyers AS SELECT DISTINCT customer_id FROM orders',
      `CREATE UNIQUE INDEX buyer ON buyers (customer_id) TABLESPACE ${space} WHERE customer_id IS NOT NULL`,
    ])
    await moved()
  } finally {
    await run([
      'DROP MATERIALIZED VIEW IF EXISTS buyers',
      'DROP TABLE IF EXISTS orders',
      `DROP TABLESPACE ${space}`,
    ])
  }
})

test('a sequence that another table uses stays', async () => {
  await run([...SHOP, "CREATE TABLE parcel (n integer DEFAULT nextval('orders_id_seq'), x text)"])
  await moved()
  await database.query("INSERT INTO parcel (x) VALUES ('one')")
  expect(await database.query('SELECT n FROM parcel')).toEqual([{ n: 61 }])
})

test('a check that the new keys violate stops the switch, which then changes nothing', async () => {
  await run([...SHOP, "ALTER TABLE orders ADD CONSTRAINT numbers CHECK (customer_id::text ~ '^[0-9]+$')"])
  const adoption = await plan(database, TABLES, { ignore: ['constraint numbers on table public.orders'] })
  await adoption.backfill()
  const before = await database.query(CATALOG)
  await expect(adoption.switchKeys()).rejects.toThrow(/numbers/)
  expect(await database.query(CATALOG)).toEqual(before)
  await database.query('ALTER TABLE orders DROP CONSTRAINT numbers')
  await switchOver(adoption)
})

test('a view created after the plan is recreated too, or stops the switch', async () => {
  await run(SHOP)
  const adoption = await plan(database, TABLES)
  await adoption.backfill()
  await run([
    'CREATE VIEW late AS SELECT note, name FROM orders JOIN customer ON customer.id = customer_id',
    'CREATE VIEW odd AS SELECT id % 2 AS odd FROM orders',
  ])
  const before = await database.query('SELECT * FROM late ORDER BY note')
  await expect(adoption.switchKeys()).rejects.toThrow(/view public\.odd: it uses id otherwise than/)
  expect(await database.query('SELECT count(*)::integer AS n FROM odd')).toEqual([{ n: 60 }])
  await database.query('DROP VIEW odd')
  await adoption.switchKeys()
  expect(await database.query('SELECT * FROM late ORDER BY note')).toEqual(before)
})

test('finish changes nothing while something uses an old key, and names all that does', async () => {
  await run(SHOP)
  const adoption = await plan(database, TABLES)
  await adoption.backfill()
  await adoption.switchKeys()
  await run([
    'CREATE VIEW old AS SELECT legacy_id, legacy_parent FROM orders',
    'CREATE TABLE link (old_id integer REFERENCES customer (legacy_id))',
  ])
  const before = await database.query(CATALOG)
  const error = await adoption.finish().catch((reason: unknown) => String(reason))
  expect(error).toMatch(/3 obstacles/)
  for (const found of [
    /orders\.legacy_id: .*view public\.old/,
    /orders\.legacy_parent: .*view public\.old/,
    /customer\.legacy_id: constraint link_old_id_fkey/,
  ])
    expect(error).toMatch(found)
  expect(await database.query(CATALOG)).toEqual(before)
  await run(['DROP VIEW old', 'DROP TABLE link'])
  await finished(database, adoption)
  expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'snoflax_adoption'")).toEqual([])
})

describe('partitions', () => {
  const PARTITIONED = [
    `CREATE TABLE payment (id bigserial, order_id integer NOT NULL, customer_id integer REFERENCES customer, at timestamptz NOT NULL,
       PRIMARY KEY (id, at), UNIQUE (order_id, at)) PARTITION BY RANGE (at)`,
    "CREATE TABLE payment_2021 PARTITION OF payment FOR VALUES FROM ('2021-01-01Z') TO ('2022-01-01Z')",
    "CREATE TABLE payment_2022 PARTITION OF payment FOR VALUES FROM ('2022-01-01Z') TO ('2023-01-01Z')",
    'ALTER TABLE payment_2021 ADD CONSTRAINT own_order FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE',
    'CREATE INDEX payment_customer ON payment (customer_id)',
    'CREATE INDEX of_2022 ON payment_2022 (order_id DESC, at)',
    'CREATE VIEW paid AS SELECT p.id, o.note, c.name FROM payment AS p JOIN orders AS o ON o.id = order_id LEFT JOIN customer AS c ON c.id = p.customer_id',
    'CREATE VIEW paid_2021 AS SELECT p.id, o.note FROM payment_2021 AS p JOIN orders AS o ON o.id = order_id',
    `INSERT INTO payment (order_id, customer_id, at)
     SELECT 1 + n % 60, nullif(n % 21, 0), '2021-06-01Z'::timestamptz + n * interval '1 day' FROM generate_series(1, 400) AS n`,
  ]

  test('foreign keys of a partitioned table, and of a single partition, are recreated', async () => {
    await run([...SHOP, ...PARTITIONED])
    await moved(['id, note, name FROM paid', 'id, note FROM paid_2021'])
  })

  test('a table partitioned by a foreign key is refused', async () => {
    await run([
      ...SHOP,
      'CREATE TABLE log (customer_id integer REFERENCES customer, x text) PARTITION BY LIST (customer_id)',
    ])
    await expect(plan(database, TABLES)).rejects.toThrow(/log\.customer_id: the table is partitioned by it/)
  })
})

test('a role that may not disable triggers has to ignore them by name', async () => {
  const owner = await database.role()
  await run([
    ...SHOP,
    'CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated := now(); RETURN NEW; END $$',
    'CREATE TRIGGER touched BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch()',
    `GRANT CREATE ON DATABASE ${database.name} TO ${owner.name}`,
    `GRANT CREATE ON SCHEMA public TO ${owner.name}`,
    `ALTER TABLE orders OWNER TO ${owner.name}`,
    `ALTER TABLE customer OWNER TO ${owner.name}`,
  ])
  const pool = poolTo(owner.url)
  try {
    const options = { tables: TABLES }
    await expect(planAdoption(pool, options)).rejects.toThrow(
      /trigger touched on table public\.orders: it would fire for every row/,
    )
    const adoption = await planAdoption(pool, {
      ...options,
      ignore: ['trigger touched on table public.orders'],
    })
    await carryOut(adoption)
  } finally {
    await pool.end()
  }
})
