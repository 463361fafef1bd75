import type { Unawaited } from '@snoflax/test/contract'
import { sql } from 'kysely'
import type { Session } from './session.js'

const chosen = ({ db }: Session, id: string) => db.selectFrom('customers').selectAll().where('id', '=', id)

const row = (id: string) => ({ id, email: 'unawaited@example.org', name: 'Nobody' })

export const unawaited: Unawaited<Session> = {
  'execute()': (session, id) => chosen(session, id).execute(),
  'executeTakeFirst()': (session, id) => chosen(session, id).executeTakeFirst(),
  'executeTakeFirstOrThrow()': (session, id) => chosen(session, id).executeTakeFirstOrThrow(),
  'stream()': (session, id) => chosen(session, id).stream().next(),
  'explain()': (session, id) => chosen(session, id).explain(),
  'insertInto()': ({ db }, id) => db.insertInto('customers').values(row(id)).execute(),
  'updateTable()': ({ db }, id) => db.updateTable('customers').set({ trace_id: id }).execute(),
  'deleteFrom()': ({ db }, id) => db.deleteFrom('customers').where('id', 'in', [id]).execute(),
  'raw SQL': ({ db, ids }, id) =>
    sql`select * from customers where id = ${ids.parameter('customers.id', id as never)}`.execute(db),
  'executeQuery()': (session, id) => session.db.executeQuery(chosen(session, id)),
  'transaction()': (session, id) =>
    session.db.transaction().execute((db) => chosen({ ...session, db }, id).execute()),
}
