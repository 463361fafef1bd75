import { quote } from '../sql-text.js'
import type { IndexPlan, Plan } from './plan.js'
import type { Session } from './session.js'

/** Builds what is not there yet. An index whose building was cut short is there but invalid: it goes first. */
export async function buildIndexes(session: Session, { indexes }: Plan): Promise<void> {
  for (const index of indexes) {
    const state = await stateOf(session, index)
    if (state === 'valid') continue
    if (state === 'invalid') await session.run([`DROP INDEX ${nameOf(index)}`])
    await session.run([index.definition])
  }
}

const nameOf = ({ schema, temporary }: IndexPlan): string => `${schema}.${quote(temporary)}`

async function stateOf(session: Session, index: IndexPlan): Promise<'valid' | 'invalid' | undefined> {
  const [found] = await session.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [nameOf(index)],
  )
  return found && (found.valid ? 'valid' : 'invalid')
}
