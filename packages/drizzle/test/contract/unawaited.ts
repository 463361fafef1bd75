import { parameter, placeholder } from '@snoflax/drizzle/pg-core'
import type { Awaitable, Unawaited } from '@snoflax/test/contract'
import { eq, sql } from 'drizzle-orm'
import type { Session } from './session.js'
import { raw } from './version.js'

const named = { email: 'unawaited@example.org', name: 'Nobody' }

const chosen = ({ db, schema: { customers } }: Session, id: string) =>
  db.select().from(customers).where(eq(customers.id, id))

const rawSelect = ({ schema: { customers } }: Session, id: string) =>
  sql`select * from ${customers} where ${customers.id} = ${parameter(customers.id, id)}`

export const unawaited: Unawaited<Session> = {
  'select()': chosen,
  'select().execute()': (session, id) => chosen(session, id).execute(),
  'insert()': ({ db, schema: { customers } }, id) => db.insert(customers).values({ id, ...named }),
  'insert().execute()': ({ db, schema: { customers } }, id) =>
    db
      .insert(customers)
      .values({ id, ...named })
      .execute(),
  'update()': ({ db, schema: { customers } }, id) =>
    db.update(customers).set({ name: 'Nobody' }).where(eq(customers.id, id)),
  'update().execute()': ({ db, schema: { customers } }, id) =>
    db.update(customers).set({ traceId: id }).execute(),
  'delete()': ({ db, schema: { customers } }, id) => db.delete(customers).where(eq(customers.id, id)),
  'delete().execute()': ({ db, schema: { customers } }, id) =>
    db.delete(customers).where(eq(customers.id, id)).execute(),
  'query.findFirst()': ({ db }, id) =>
    db.query.customers.findFirst({ where: raw((customer) => eq(customer.id, id)) }),
  'query.findMany()': ({ db }, id) =>
    db.query.customers.findMany({ where: raw((customer) => eq(customer.id, id)) }),
  'query.findMany().execute()': ({ db }, id) =>
    db.query.customers.findMany({ where: raw((customer) => eq(customer.id, id)) }).execute(),
  '$count()': ({ db, schema: { customers } }, id) =>
    db.$count(customers, eq(customers.id, id)) as unknown as Awaitable,
  'prepared select': ({ db, schema: { customers } }, id) => {
    const where = eq(customers.id, placeholder(customers.id, 'id'))
    return db.select().from(customers).where(where).prepare('unawaited').execute({ id })
  },
}

const inTransaction: Unawaited<Session> = {
  'transaction()': (session, id) =>
    session.db.transaction((db) => chosen({ ...session, db }, id) as unknown as Promise<unknown>),
}

export const ofServers: Unawaited<Session> = {
  ...unawaited,
  ...inTransaction,
  'execute() of raw SQL': (session, id) => session.db.execute(rawSelect(session, id)),
}

interface Iterated {
  iterator(): AsyncIterator<unknown>
}

export const ofMysql: Unawaited<Session> = {
  ...ofServers,
  'select().iterator()': (session, id) => (chosen(session, id) as unknown as Iterated).iterator().next(),
}

/** What SQLite's drivers have besides. */
type Running = Readonly<Record<'all' | 'get' | 'run' | 'values', (query?: unknown) => Awaitable>> & {
  batch(queries: readonly unknown[]): Promise<unknown>
}

const running = (one: unknown) => one as Running

export const ofLibsql: Unawaited<Session> = {
  ...unawaited,
  ...inTransaction,
  'select().all()': (session, id) => running(chosen(session, id)).all(),
  'select().get()': (session, id) => running(chosen(session, id)).get(),
  'select().values()': (session, id) => running(chosen(session, id)).values(),
  'delete().run()': ({ db, schema: { customers } }, id) =>
    running(db.delete(customers).where(eq(customers.id, id))).run(),
  'batch()': (session, id) => running(session.db).batch([chosen(session, id)]),
  'all() of raw SQL': (session, id) => running(session.db).all(rawSelect(session, id)),
  'run() of raw SQL': (session, id) => running(session.db).run(rawSelect(session, id)),
}
