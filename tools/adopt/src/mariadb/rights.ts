import type { Session } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { shownName } from '../plan.js'
import type { Work } from '../work.js'

/** To see all views, routines, triggers and events, with their code. */
const SEEING = ['SELECT', 'SHOW VIEW', 'TRIGGER', 'EVENT', 'EXECUTE']
/** To take the steps in the connection's database. */
const STEPS = ['CREATE', 'ALTER', 'DROP', 'INDEX', 'REFERENCES', 'INSERT', 'UPDATE', 'DELETE']

const GRANT = /^GRANT (.+?) ON (\*|"(?:[^"]|"")+")\.\* TO /

/** Notes the rights that the user lacks: the server hides what it may not see. */
export function* noteRights(session: Session, obstacles: Obstacles): Work<void> {
  const [own] = yield* session.query<{ user: string; database: string }>(
    'SELECT current_user() AS "user", database() AS "database"',
  )
  const { user = '', database = '' } = own ?? {}
  const grants = (yield* session.query<Record<string, string>>('SHOW GRANTS')).flatMap((row) => {
    const [, rights = '', on = ''] = GRANT.exec(Object.values(row)[0] ?? '') ?? []
    return on === '' ? [] : [{ rights: rights.split(', '), on: shownName(on) }]
  })
  const missingIn = (needed: readonly string[], isOn: (on: string) => boolean): string[] => {
    const rights = grants.filter(({ on }) => isOn(on)).flatMap((one) => one.rights)
    return rights.includes('ALL PRIVILEGES') ? [] : needed.filter((right) => !rights.includes(right))
  }
  const to = user
    .split('@')
    .map((part) => `'${part}'`)
    .join('@')
  const here = missingIn([...SEEING, ...STEPS], (on) => on === '*' || patternOf(on).test(database))
  const everywhere = missingIn(SEEING, (on) => on === '*')
  if (here.length > 0)
    obstacles.noteRight(
      'rights',
      `this user can't see or change everything in the database; GRANT ${here.join(', ')} ON \`${database}\`.* TO ${to}`,
    )
  if (everywhere.length === 0) return
  const problem = `this user can't see the code of other databases, which may use these tables; GRANT ${everywhere.join(', ')} ON *.* TO ${to}`
  if (obstacles.isIgnored(OTHERS)) obstacles.list(OTHERS, 'ignored', problem)
  else obstacles.noteRight('rights', `${problem}, or take it on with ignore: [${JSON.stringify(OTHERS)}]`)
}

const OTHERS = 'other databases'

/** In a GRANT, % and _ in the name of a database stand for other characters. */
const patternOf = (on: string): RegExp => {
  const parts = on.split(/(\\[_%]|[_%])/).map((part) => {
    if (part === '%') return '.*'
    return part === '_' ? '.' : part.replace(/^\\/, '').replace(/[.*+?^${}()|[\]]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
