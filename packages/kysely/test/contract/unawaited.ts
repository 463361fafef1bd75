import type { Unawaited } from '@snoflax/test/contract'
import type { Session } from './session.js'

const inserted = ({ db }: Session, id: string) =>
  db.insertInto('customers').values({ id, email: 'unawaited@example.org', name: 'Nobody' })

// In conditions it finds nothing, as any text.
export const unawaited: Unawaited<Session> = {
  'execute()': (session, id) => inserted(session, id).execute(),
  'executeTakeFirst()': (session, id) => inserted(session, id).executeTakeFirst(),
  'executeTakeFirstOrThrow()': (session, id) => inserted(session, id).executeTakeFirstOrThrow(),
  'stream()': (session, id) => inserted(session, id).stream().next(),
  'explain()': (session, id) => inserted(session, id).explain(),
  'updateTable()': ({ db }, id) => db.updateTable('customers').set({ trace_id: id }).execute(),
  'executeQuery()': (session, id) => session.db.executeQuery(inserted(session, id)),
  'transaction()': (session, id) =>
    session.db.transaction().execute((db) => inserted({ ...session, db }, id).execute()),
}
