import { flake, flax, type IdStorage, storageFor } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import type { OpenDatabase, Row } from '@snoflax/test'
import {
  type ContractAdapter,
  type Customer,
  contestants,
  type Graph,
  type NewCustomer,
  storageDatabase,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'

// The smallest adapter there is, to be copied to packages/<orm>/test/contract/adapter.ts. Its ORM is none: statements by
// hand over a driver, ids converted one by one. The contract is checked against it, too.

/** What every path is given: the ORM, connected. */
export interface PlainSession {
  readonly variant: Variant
  readonly storage: IdStorage<string>
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
}

// PGlite is PostgreSQL behind another driver: these two families have every form of value between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

const adapter = {
  orm: 'Plain SQL',
  variants: {
    sqlite: variantsOf('sqlite'),
    pglite: variantsOf('pglite', { families }),
    postgres: variantsOf('postgres'),
    mysql: variantsOf('mysql'),
  },
  junction: { table: 'orders_tags', order: 'order_id', tag: 'tag_id' },
  open: async (database, variant) => {
    const storage = storageFor(variant.family, storageDatabase(variant.database), {
      storage: variant.storage,
    })
    for (const statement of tables(storage.column.sql)) await database.query(statement)
    return { variant, storage, query: placed(database) }
  },
  close: async () => {},

  inserts: {
    'one by one': {
      run: async (session, rows) => {
        const ids: string[] = []
        for (const row of rows) ids.push(await insertCustomer(session, row))
        return ids
      },
    },
  },
  upserts: {
    'on conflict': {
      run: async (session, row) => {
        const { email, name } = row
        const values = [
          key(session, row.id ?? make(session)),
          email,
          name,
          at(session, 'trace_id', row.traceId),
        ]
        const conflict =
          session.variant.database === 'mysql'
            ? 'ON DUPLICATE KEY UPDATE name = VALUES(name)'
            : 'ON CONFLICT (email) DO UPDATE SET name = excluded.name'
        const sql = `INSERT INTO customers (id, email, name, trace_id) VALUES (?, ?, ?, ?) ${conflict}`
        await session.query(sql, values)
        const [stored] = await session.query('SELECT id FROM customers WHERE email = ?', [email])
        return session.storage.fromDatabase(stored?.['id'])
      },
    },
  },
  graphs: {
    'one by one': {
      run: async (session, graph) => {
        const id = await insertCustomer(session, graph)
        const profile = [key(session, make(session)), graph.profile.bio, key(session, id)]
        await session.query('INSERT INTO profiles (id, bio, customer_id) VALUES (?, ?, ?)', profile)
        for (const order of graph.orders) {
          const orderId = key(session, make(session))
          const row = [orderId, order.total, key(session, id)]
          await session.query('INSERT INTO orders (id, total, customer_id) VALUES (?, ?, ?)', row)
          for (const { position, quantity } of order.lines) {
            await session.query('INSERT INTO order_lines VALUES (?, ?, ?)', [orderId, position, quantity])
          }
          for (const { label } of order.tags) {
            const tagId = key(session, make(session))
            await session.query('INSERT INTO tags (id, label) VALUES (?, ?)', [tagId, label])
            await session.query('INSERT INTO orders_tags VALUES (?, ?)', [orderId, tagId])
          }
        }
        return id
      },
    },
  },
  updates: {
    update: {
      run: async (session, id, change) => {
        const changed: Row = {}
        if (change.name !== undefined) changed['name'] = change.name
        if (change.traceId !== undefined) changed['trace_id'] = at(session, 'trace_id', change.traceId)
        if (change.referrerId !== undefined) changed['referrer_id'] = key(session, change.referrerId)
        const list = Object.keys(changed).map((name) => `${name} = ?`)
        const sql = `UPDATE customers SET ${list.join(', ')} WHERE id = ?`
        await session.query(sql, [...Object.values(changed), key(session, id)])
      },
    },
  },
  deletes: {
    delete: {
      run: async (session, ids) => {
        for (const id of ids) await session.query('DELETE FROM customers WHERE id = ?', [key(session, id)])
      },
    },
  },
  links: {
    insert: {
      run: async (session, ...ends) => {
        await session.query(
          'INSERT INTO orders_tags VALUES (?, ?)',
          ends.map((id) => key(session, id)),
        )
      },
    },
  },
  unlinks: {
    delete: {
      run: async (session, ...ends) => {
        const sql = 'DELETE FROM orders_tags WHERE order_id = ? AND tag_id = ?'
        await session.query(
          sql,
          ends.map((id) => key(session, id)),
        )
      },
    },
  },

  byId: { where: { run: async (session, id) => (await find(session, 'id = ?', [id]))[0] } },
  byIds: {
    where: { run: (session, ids) => find(session, `id IN (${ids.map(() => '?').join(', ')})`, ids) },
  },
  byRange: { where: { run: (session, { gte, lt }) => find(session, 'id >= ? AND id < ?', [gte, lt]) } },
  createdBetween: {
    where: {
      run: (session, from, to) => {
        const { gte, lt } = session.variant.family.range(from, to)
        return lt === undefined
          ? find(session, 'id >= ?', [gte])
          : find(session, 'id >= ? AND id < ?', [gte, lt])
      },
    },
  },
  byTrace: {
    where: {
      run: (session, id) =>
        id === null ? find(session, 'trace_id IS NULL', []) : find(session, 'trace_id = ?', [id]),
    },
  },
  byOrder: {
    subquery: {
      run: (session, id) => find(session, 'id IN (SELECT customer_id FROM orders WHERE id = ?)', [id]),
    },
  },
  graph: { 'one by one': { run: loadGraph } },
  page: {
    where: {
      run: (session, after, limit) =>
        after === undefined ? find(session, 'true', [], limit) : find(session, 'id > ?', [after], limit),
    },
  },
  ends: {
    'order by': {
      run: async (session) => {
        const rows = await session.query('SELECT id FROM orders ORDER BY id')
        const ids = rows.map((row) => session.storage.fromDatabase(row['id']) as string)
        return { min: ids[0] as string, max: ids.at(-1) as string }
      },
    },
  },
  counts: {
    'group by': {
      run: async (session) => {
        const rows = await session.query('SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id')
        return new Map(
          rows.map((row) => [session.storage.fromDatabase(row['customer_id']) as string, Number(row['n'])]),
        )
      },
    },
  },
  unawaited: {
    where: (session, id) => find(session, 'id = ?', [id]),
  },
  around: {
    'insert without an id': {
      run: (session, { email, name }) =>
        session.query('INSERT INTO customers (email, name) VALUES (?, ?)', [email, name]),
    },
  },
} satisfies ContractAdapter<PlainSession>

export default adapter

/** The contract's schema, with ids of the type. */
export const tables = (type: string): readonly string[] => [
  `CREATE TABLE customers (id ${type} NOT NULL PRIMARY KEY, email varchar(80) NOT NULL UNIQUE, name text NOT NULL,
    trace_id ${type}, referrer_id ${type} REFERENCES customers (id))`,
  `CREATE TABLE profiles (id ${type} NOT NULL PRIMARY KEY, bio text NOT NULL,
    customer_id ${type} NOT NULL UNIQUE REFERENCES customers (id))`,
  `CREATE TABLE orders (id ${type} NOT NULL PRIMARY KEY, total integer NOT NULL,
    customer_id ${type} NOT NULL REFERENCES customers (id))`,
  `CREATE TABLE tags (id ${type} NOT NULL PRIMARY KEY, label varchar(80) NOT NULL UNIQUE)`,
  `CREATE TABLE order_lines (order_id ${type} NOT NULL REFERENCES orders (id), position integer NOT NULL,
    quantity integer NOT NULL, PRIMARY KEY (order_id, position))`,
  `CREATE TABLE orders_tags (order_id ${type} NOT NULL REFERENCES orders (id),
    tag_id ${type} NOT NULL REFERENCES tags (id), PRIMARY KEY (order_id, tag_id))`,
]

/** `?` in the style of the database. */
function placed(database: OpenDatabase): PlainSession['query'] {
  if (database.kind === 'sqlite' || database.kind === 'mysql') return database.query
  return (sql, parameters) => {
    let number = 0
    return database.query(
      sql.replaceAll('?', () => `$${++number}`),
      parameters,
    )
  }
}

const make = ({ variant }: PlainSession) => variant.generator.generate()

const key = (session: PlainSession, id: string | null | undefined) => at(session, 'id', id)

const at = ({ storage }: PlainSession, column: string, id: string | null | undefined) =>
  withPath(`customers.${column}`, () => storage.toDatabase(id))

async function insertCustomer(session: PlainSession, row: NewCustomer): Promise<string> {
  const id = row.id ?? make(session)
  const values = [key(session, id), row.email, row.name, at(session, 'trace_id', row.traceId)]
  await session.query(
    'INSERT INTO customers (id, email, name, trace_id, referrer_id) VALUES (?, ?, ?, ?, ?)',
    [...values, key(session, row.referrerId)],
  )
  return id
}

async function find(
  session: PlainSession,
  where: string,
  ids: readonly string[],
  limit = 1000,
): Promise<Customer[]> {
  const sql = `SELECT * FROM customers WHERE ${where} ORDER BY id LIMIT ${limit}`
  const rows = await session.query(
    sql,
    ids.map((id) => key(session, id)),
  )
  const read = (value: unknown) => session.storage.fromDatabase(value) as string
  return rows.map((row) => ({
    id: read(row['id']),
    email: String(row['email']),
    name: String(row['name']),
    traceId: read(row['trace_id']),
    referrerId: read(row['referrer_id']),
  }))
}

async function loadGraph(session: PlainSession, id: string): Promise<Graph | undefined> {
  const [customer] = await find(session, 'id = ?', [id])
  if (!customer) return undefined
  const read = (value: unknown) => session.storage.fromDatabase(value) as string
  const below = (sql: string, one: string) => session.query(sql, [key(session, one)])
  const [profile] = await below('SELECT * FROM profiles WHERE customer_id = ?', id)
  const orders: Graph['orders'][number][] = []
  for (const row of await below('SELECT * FROM orders WHERE customer_id = ?', id)) {
    const orderId = read(row['id'])
    const lines = await below('SELECT * FROM order_lines WHERE order_id = ?', orderId)
    const tags = await below(
      'SELECT t.* FROM tags t JOIN orders_tags j ON j.tag_id = t.id WHERE j.order_id = ?',
      orderId,
    )
    orders.push({
      id: orderId,
      customerId: id,
      total: Number(row['total']),
      lines: lines.map((line) => ({
        orderId: read(line['order_id']),
        position: Number(line['position']),
        quantity: Number(line['quantity']),
      })),
      tags: tags.map((tag) => ({ id: read(tag['id']), label: String(tag['label']) })),
    })
  }
  return {
    ...customer,
    referrer: customer.referrerId
      ? ((await find(session, 'id = ?', [customer.referrerId]))[0] ?? null)
      : null,
    profile: profile ? { id: read(profile['id']), customerId: id, bio: String(profile['bio']) } : null,
    orders,
  }
}
