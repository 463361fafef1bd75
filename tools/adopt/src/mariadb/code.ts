import { addRelation, mentionedIn, mentions, noteBody, noteViews, type Relations } from '../code-uses.js'
import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { shownName } from '../plan.js'
import type { Work } from '../work.js'
import { APPLICATIONS, OWN } from './catalog.js'
import { literal } from './session.js'

interface Code {
  readonly kind: string
  readonly schema: string
  readonly isHere: number
  readonly name: string
  readonly sql: string | null
}

const CODE = (kind: string, name: string, schema: string, sql: string, from: string): string =>
  `SELECT ${kind} AS kind, ${schema} AS "schema", ${schema} = database() AS "isHere", ${name} AS name, ${sql} AS "sql"
     FROM information_schema.${from} WHERE ${schema} NOT IN ${APPLICATIONS}`

/** Notes views, routines, triggers and events of all databases that use replaced columns. */
export function* noteCode(
  session: Session,
  tables: readonly string[],
  relations: Relations,
  obstacles: Obstacles,
): Work<void> {
  const list = tables.map((table) => literal(shownName(table))).join(', ')
  const code = yield* session.query<Code>(
    `${CODE("'view'", 'table_name', 'table_schema', 'view_definition', 'views')}
     UNION ALL ${CODE("'event'", 'event_name', 'event_schema', 'event_definition', 'events')}
     UNION ALL ${CODE('lower(routine_type)', 'routine_name', 'routine_schema', 'routine_definition', 'routines')}
     UNION ALL ${CODE("'trigger'", 'trigger_name', 'trigger_schema', 'action_statement', 'triggers')}
       AND left(trigger_name, ${OWN.length}) <> '${OWN}' AND NOT (trigger_schema = database() AND event_object_table IN (${list}))
     ORDER BY kind, 2, 4`,
  )
  const [here] = yield* session.query<{ name: string }>('SELECT database() AS name')
  const isNear = (one: Code): boolean => Number(one.isHere) === 1 || mentions(one.sql ?? '', here?.name ?? '')
  const near = code.filter(isNear)
  // Views of other databases that read this one, also through each other.
  for (const one of near) {
    const users = code.filter(
      (other) => one.kind === 'view' && !near.includes(other) && mentions(other.sql ?? '', one.name),
    )
    near.push(...users.filter(({ schema }) => schema === one.schema || Number(one.isHere) !== 1))
  }
  for (const { schema, table, column } of yield* readViewColumns(session))
    if (near.some((one) => one.kind === 'view' && one.schema === schema && one.name === table))
      addRelation(relations, table, [column], new Map())
  const shown = ({ kind, schema, isHere, name }: Code): string =>
    `${kind} ${Number(isHere) === 1 ? name : `${schema}.${name}`}`
  for (const one of near)
    if (!one.sql)
      obstacles.ask(
        shown(one),
        'this user may not read its code; connect as a user that may, such as its definer',
      )
  noteViews(
    near
      .filter(({ kind }) => kind === 'view')
      .map((one) => ({ name: shown(one), of: one.name, sql: one.sql ?? '' })),
    'mariadb',
    relations,
    obstacles,
  )
  for (const one of near)
    if (one.kind !== 'view' && one.sql) noteBody(shown(one), one.sql, relations, obstacles)
  const far = code.filter((one) => !near.includes(one))
  const unread = far.filter(({ sql }) => !sql || mentionedIn(sql, new Map()) !== undefined).map(shown)
  if (far.length > unread.length)
    obstacles.list(
      'other databases',
      'unaffected',
      `${far.length - unread.length} views, routines, triggers and events do not mention this one`,
    )
  if (unread.length > 0)
    obstacles.list(
      'code of other databases',
      'not examined',
      `it is hidden, or runs SQL that it builds: ${unread.join(', ')}`,
    )
}

const readViewColumns = (session: Session): Work<Record<'schema' | 'table' | 'column', string>[]> =>
  session.query(
    `SELECT table_schema AS "schema", table_name AS "table", column_name AS "column"
       FROM information_schema.columns JOIN information_schema.views USING (table_schema, table_name)
      WHERE table_schema NOT IN ${APPLICATIONS} AND table_schema <> database()`,
  )
