import { type Any, type Programs, plain, type Session } from './matrix-entities.js'

type Key = (row: number) => string
type Conditions = Readonly<Record<string, (key: Key, session: Session) => object>>

const named = ({ em, Person }: Session) =>
  em.createQueryBuilder(Person, 's').select('s.id').where({ name: 'Ada' })

const ON_KEYS: Conditions = {
  'a text that is no id': () => ({ id: 'nobody' }),
  'no text': () => ({ id: '' }),
  $in: (key) => ({ id: { $in: [key(2), 'nobody'] } }),
  '$in of none': () => ({ id: { $in: [] } }),
  $nin: (key) => ({ id: { $nin: [key(2), 'nobody'] } }),
  $ne: () => ({ id: { $ne: 'nobody' } }),
  $not: () => ({ $not: { id: 'nobody' } }),
  $gt: () => ({ id: { $gt: '' } }),
  $lte: () => ({ id: { $lte: 'zzzz' } }),
  $like: (key) => ({ id: { $like: key(2) } }),
  $re: (key) => ({ id: { $re: key(2) } }),
  'a regular expression': () => ({ id: /_/ }),
  $exists: () => ({ id: { $exists: true } }),
  'a query builder': (_, session) => ({ id: { $in: named(session) } }),
  'a query in a query': (_, session) => ({ id: { $nin: named(session).getNativeQuery() } }),
}

const ON_RELATIONS: Conditions = {
  'a key': (key) => ({ author: key(1) }),
  'a key that is none': () => ({ author: 'nobody' }),
  'a row': () => ({ author: { id: 'nobody' } }),
  $like: (key) => ({ author: { id: { $like: key(1) } } }),
  'a query builder': (_, session) => ({ author: { $in: named(session) } }),
}

/** Answers, or the name of an error: SQLite has no `regexp`, and MySQL can't update a table that it reads in a condition. */
const tried = async (calls: readonly (() => Promise<unknown>)[]) => {
  const answers: unknown[] = []
  for (const call of calls) answers.push(await call().catch((error: Error) => error.name))
  return answers
}

const answers = async (conditions: Conditions, entity: Any, session: Session, key: Key) => {
  const { em } = session
  const all: Record<string, unknown> = {}
  for (const [name, condition] of Object.entries(conditions)) {
    const where = () => condition(key, session)
    all[name] = await tried([
      async () => plain(await em.fork().find(entity, where(), { orderBy: { id: 'asc' } })),
      () => em.createQueryBuilder(entity, 'e').select('*').where(where()).orderBy({ id: 'asc' }).execute(),
      () => em.count(entity, where()),
      () => em.nativeUpdate(entity, where(), { [entity === session.Post ? 'title' : 'name']: name }),
    ])
  }
  return all
}

/** What conditions find and change: keys without a check take all of them. */
export const byConditions: Programs = {
  'conditions on a key': (session, key) => answers(ON_KEYS, session.Person, session, key),
  'conditions on a relation': (session, key) => answers(ON_RELATIONS, session.Post, session, key),
}
