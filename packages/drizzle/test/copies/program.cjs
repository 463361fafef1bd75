const Database = require('better-sqlite3')

/** What an application does with the copy of Drizzle that it loads, which need not be the package's. */
exports.program = function program(
  { flaxId, snoId, parameter, placeholder },
  { eq, ne, relations, defineRelations, sql },
  { sqliteTable, text },
  { drizzle },
) {
  const customers = sqliteTable('customers', { id: flaxId({ storage: 'binary' }).primaryKey(), name: text() })
  const orders = sqliteTable('orders', {
    id: snoId().primaryKey(),
    customerId: flaxId.ref('customer_id').references(() => customers.id),
  })
  const client = new Database(':memory:')
  client.exec(`create table customers (id blob primary key not null, name text);
    create table orders (id text primary key not null, customer_id blob references customers)`)
  const related = defineRelations
    ? {
        relations: defineRelations({ customers, orders }, (r) => ({
          orders: { customer: r.one.customers({ from: r.orders.customerId, to: r.customers.id }) },
        })),
      }
    : {
        schema: {
          customers,
          orders,
          orderRelations: relations(orders, ({ one }) => ({
            customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
          })),
        },
      }
  const db = drizzle({ client, ...related })

  const [ada, bob] = db
    .insert(customers)
    .values([{ name: 'Ada' }, { name: 'Bob' }])
    .returning()
    .all()
  const order = db.insert(orders).values({ customerId: ada.id }).returning().get()
  const found = (where) =>
    db
      .select()
      .from(customers)
      .where(where)
      .all()
      .map(({ name }) => name)
  const result = {
    typed: found(eq(customers.id, ada.id)),
    parameter: found(sql`${customers.id} = ${parameter(customers.id, ada.id)}`),
    placeholder: db
      .select({ name: customers.name })
      .from(customers)
      .where(eq(customers.id, placeholder(customers.id, 'id')))
      .prepare()
      .all({ id: bob.id }),
    isOrder: order.customerId === ada.id,
    // Drizzle 0.45 has nested rows as JSON, which has no bytes.
    nested:
      !defineRelations ||
      db.query.orders.findMany({ with: { customer: true } }).sync()[0].customer.id === ada.id,
  }
  db.delete(orders).run()
  db.delete(customers)
    .where(ne(customers.id, placeholder(customers.id, 'mine')))
    .prepare()
    .run({ mine: ada.id })
  return { ...result, kept: db.select({ name: customers.name }).from(customers).all() }
}
