import type { Variant } from '../variant.js'

type Database = Exclude<Variant['database'], 'pglite'>

/** A statement over the contract's customers and orders, whose result has no ids. */
export interface Form {
  /**
   * `{id}`, `{other}` and `{third}` are bound ids of customers, `{new}` one that no row has; `{list}` is a bound list of the
   * first two, `{json}` the same as JSON, `{order}` the id of an order. `{'id'}` is written into the SQL. `[customers.id]` is
   * the ORM's own object for the column where it has one. The others are texts.
   */
  readonly sql: string
  /** The databases that know it; all by default. */
  readonly on?: readonly Database[]
}

const all = (...forms: readonly string[]): Form[] => forms.map((sql) => ({ sql }))
const only =
  (...on: readonly Database[]) =>
  (...forms: readonly string[]): Form[] =>
    forms.map((sql) => ({ sql, on }))

const onPostgres = only('postgres')
const onSqlite = only('sqlite')
const onMysql = only('mysql')
const onServers = only('postgres', 'mysql')
const notOnMysql = only('postgres', 'sqlite')

export const FORMS: readonly Form[] = [
  ...all(
    'SELECT name FROM customers WHERE id = {id}',
    'SELECT name FROM customers WHERE {id} = id',
    'SELECT name FROM customers c WHERE c.id={id}',
    'SELECT name FROM customers WHERE "id" = {id} LIMIT 1',
    'SELECT name FROM customers WHERE customers.ID /* key */ = {id} -- the id',
    'SELECT name FROM customers WHERE [customers.id] = {id}',
    'SELECT name FROM customers WHERE {id} = [customers.id]',
    'SELECT name FROM customers WHERE [customers.id] IN ({id}, {other}) ORDER BY email',
    'SELECT name FROM customers WHERE [customers.id] BETWEEN {id} AND {other} ORDER BY email',
    'SELECT name FROM customers WHERE lower([customers.id]) = lower({id})',
    "SELECT name FROM customers WHERE email LIKE 'seed%' AND id <> {id} ORDER BY email",
    'SELECT name FROM customers WHERE id < {id} ORDER BY email',
    'SELECT name FROM customers WHERE id >= {id} ORDER BY id',
    'SELECT name FROM customers WHERE id IN ({id}, {other}) ORDER BY email',
    'SELECT name FROM customers WHERE id NOT IN ({id}, {other}) ORDER BY email',
    'SELECT name FROM customers WHERE id BETWEEN {id} AND {other} ORDER BY email',
    'SELECT name FROM customers WHERE id NOT BETWEEN {id} AND {other} ORDER BY email',
    "SELECT name FROM customers WHERE (id, name) = ({id}, 'Seed 3')",
    "SELECT name FROM customers WHERE (name, id) IN (('Seed 3', {id}), ('Seed 5', {other})) ORDER BY email",
    'SELECT name FROM customers WHERE ((id)) = ({id})',
    'SELECT name FROM customers WHERE NOT (id = {id}) ORDER BY email',
    'SELECT count(*) AS n FROM customers WHERE id = {id} OR referrer_id = {id} OR email = {id}',
    'SELECT name FROM customers ORDER BY CASE WHEN id = {id} THEN 0 ELSE 1 END, email LIMIT 1',
    'SELECT name FROM customers ORDER BY CASE id WHEN {id} THEN 0 ELSE 1 END, email LIMIT 1',
    'SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id AND c.id = {id} ORDER BY o.total',
    'SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.id = {order})',
    'SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE id = {order})',
    'SELECT name FROM customers WHERE id = (SELECT {id})',
    'SELECT name FROM customers WHERE id IN (SELECT {id} UNION SELECT {other}) ORDER BY email',
    'SELECT name FROM customers WHERE id = coalesce({id}, id)',
    "SELECT name FROM customers WHERE coalesce(id, '') = {id}",
    'SELECT name FROM customers WHERE nullif(id, {id}) IS NULL',
    'SELECT name FROM customers WHERE id LIKE {id}',
    "SELECT name FROM customers WHERE replace({id}, ' ', '') = id",
    'SELECT name FROM customers GROUP BY id, name HAVING min(id) = {id}',
    'WITH one AS (SELECT {id} AS k) SELECT name FROM customers JOIN one ON one.k = customers.id',
    'WITH picked AS (SELECT id, name FROM customers) SELECT name FROM picked WHERE id = {id}',
    'WITH picked AS (SELECT id AS k, name FROM customers) SELECT name FROM picked WHERE k = {id}',
    'SELECT name FROM (SELECT id AS k, name FROM customers) t WHERE t.k = {id}',
    'SELECT name FROM customers NATURAL JOIN (SELECT {id} AS id) t',
    'SELECT name FROM customers JOIN (SELECT {id} AS id) t USING (id)',
    'SELECT count(*) AS n FROM (SELECT id FROM customers INTERSECT SELECT {id}) t',
    'SELECT count(*) AS n FROM (SELECT id FROM customers EXCEPT SELECT {id}) t',
    "SELECT name FROM customers WHERE id = {'id'}",
    "SELECT name FROM customers WHERE id IN ({'id'}, {'other'}) ORDER BY email",
    "SELECT name FROM customers WHERE coalesce({'id'}, '') = id",
    "INSERT INTO customers (id, email, name) VALUES ({new}, 'raw@example.org', 'Raw')",
    "INSERT INTO customers (email, name, id, trace_id) VALUES ('raw@example.org', 'Raw', {new}, {other})",
    "INSERT INTO customers (id, email, name) VALUES ({'new'}, 'raw@example.org', 'Raw')",
    "INSERT INTO customers VALUES ({new}, 'raw@example.org', 'Raw', NULL, NULL)",
    "INSERT INTO customers VALUES ({'new'}, 'raw@example.org', 'Raw', NULL, NULL)",
    "INSERT INTO customers (id, email, name) SELECT {new}, 'raw@example.org', 'Raw'",
    "UPDATE customers SET trace_id = {other} WHERE email = 'seed0@example.org'",
    'UPDATE customers SET name = name, trace_id = {other} WHERE id = {third}',
    "UPDATE customers SET trace_id = coalesce({other}, trace_id) WHERE email = 'seed0@example.org'",
    'DELETE FROM customers WHERE referrer_id = {id} AND id = {new}',
  ),
  ...onServers(
    'SELECT name FROM customers WHERE id = {id} FOR UPDATE',
    'SELECT name FROM customers WHERE id = {id} ORDER BY id LIMIT 1 FOR UPDATE',
  ),
  ...onPostgres(
    "SELECT name FROM customers WHERE concat({id}::text, '') = id",
    'SELECT name FROM customers WHERE id = {id} FOR SHARE',
    'SELECT name FROM customers WHERE id = {id} FETCH FIRST 1 ROWS ONLY',
    'SELECT name FROM customers WHERE id IS NOT DISTINCT FROM {id}',
    'SELECT name FROM customers WHERE id = ANY({list}) ORDER BY email',
    'SELECT name FROM customers WHERE id = ANY(ARRAY[{id}, {other}]) ORDER BY email',
    'SELECT name FROM customers WHERE id <> ALL({list}) ORDER BY email',
    'SELECT name FROM customers WHERE id IN (SELECT unnest({list}::text[])) ORDER BY email',
    'SELECT name FROM customers WHERE id::text = {id}',
    'SELECT name FROM customers WHERE CAST(id AS text) = {id}',
    'SELECT name FROM customers WHERE id IN (SELECT jsonb_array_elements_text({json}::jsonb)) ORDER BY email',
    'SELECT name FROM customers JOIN (VALUES ({id}), ({other})) v(k) ON v.k = customers.id ORDER BY email',
    "INSERT INTO customers (id, email, name) VALUES ({new}, 'seed0@example.org', 'Raw') ON CONFLICT (email) DO UPDATE SET trace_id = {other}",
    "UPDATE customers SET (name, trace_id) = (name, {other}) WHERE email = 'seed0@example.org'",
    "UPDATE customers SET trace_id = t.k FROM (SELECT {other} AS k) t WHERE email = 'seed0@example.org'",
  ),
  ...onSqlite(
    'SELECT name FROM customers WHERE id IS {id}',
    'SELECT name FROM customers WHERE id IS NOT DISTINCT FROM {id}',
    'SELECT name FROM customers WHERE id == {id}',
    'SELECT name FROM customers WHERE +id = {id}',
    'SELECT name FROM customers WHERE id = {id} COLLATE BINARY',
    "SELECT name FROM customers WHERE id = '' || {id}",
    "SELECT name FROM customers WHERE id || '' = {id}",
    'SELECT name FROM customers WHERE CAST({id} AS TEXT) = id',
    'SELECT name FROM customers WHERE iif(id = {id}, 1, 0) = 1',
    'SELECT name FROM customers WHERE id IN (SELECT value FROM json_each({json})) ORDER BY email',
    "SELECT name FROM customers WHERE id = json_extract({json}, '$[0]')",
    'SELECT name FROM customers WHERE id IN (VALUES ({id}), ({other})) ORDER BY email',
    'SELECT name FROM customers WHERE instr(id, {id}) = 1',
    "INSERT OR REPLACE INTO customers (id, email, name) VALUES ({new}, 'raw@example.org', 'Raw')",
    "INSERT INTO customers (id, email, name) VALUES ({new}, 'seed0@example.org', 'Raw') ON CONFLICT (email) DO UPDATE SET trace_id = {other}",
    "UPDATE customers SET (name, trace_id) = (name, {other}) WHERE email = 'seed0@example.org'",
  ),
  ...onMysql(
    "SELECT name FROM customers WHERE concat({id}, '') = id",
    'SELECT name FROM customers WHERE id = {id} LOCK IN SHARE MODE',
    'SELECT name FROM customers WHERE id <=> {id}',
    'SELECT name FROM customers WHERE id = CAST({id} AS CHAR)',
    'SELECT name FROM customers WHERE find_in_set({id}, id) = 1',
    "INSERT INTO customers SET id = {new}, email = 'raw@example.org', name = 'Raw'",
    "REPLACE INTO customers (id, email, name) VALUES ({new}, 'raw@example.org', 'Raw')",
    "INSERT INTO customers (id, email, name) VALUES ({new}, 'seed0@example.org', 'Raw') ON DUPLICATE KEY UPDATE trace_id = {other}",
  ),
  ...notOnMysql('SELECT name FROM customers WHERE id = {id} ORDER BY id LIMIT 1 OFFSET 0'),
  ...all(
    "SELECT name FROM customers WHERE name = 'administrator123'",
    "SELECT name FROM customers WHERE name IN ('abcdefghijklmnop', 'ABCDEFGHIJKLMNOP', 'Seed 3')",
    'SELECT name FROM customers WHERE name = {word}',
    "SELECT name FROM customers WHERE name IN ({word}, 'Seed 3') ORDER BY email",
    'SELECT name FROM customers WHERE lower(name) = {word}',
    'SELECT name FROM customers WHERE coalesce(name, {word}) = {name}',
    'SELECT name FROM customers WHERE name LIKE {pattern} ORDER BY email',
    'SELECT name FROM customers WHERE name = {name} AND {word} = {word}',
    'SELECT {word} AS word FROM customers WHERE name = {name}',
    'SELECT name FROM customers WHERE {object} LIKE {pattern} OR name = {name}',
    'SELECT name FROM customers WHERE name = {name} AND \'{"id": 5}\' <> {object}',
    'SELECT name FROM customers WHERE name = {name} AND {url} <> {word}',
    'SELECT name FROM customers WHERE email = {email}',
    'SELECT total FROM orders WHERE total > {number} ORDER BY total',
    'SELECT name FROM customers WHERE trace_id IS NULL ORDER BY email',
    "INSERT INTO customers (id, email, name) VALUES ({new}, 'raw@example.org', {word})",
    "UPDATE customers SET name = {word} WHERE email = 'raw@example.org'",
    "UPDATE customers SET name = {object} WHERE email = 'raw@example.org'",
    'DELETE FROM customers WHERE name = {word}',
    'SELECT count(*) AS n FROM customers',
  ),
  ...onMysql('SELECT name FROM customers WHERE id LIKE {accented} OR name LIKE {accented}'),
]
