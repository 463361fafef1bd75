import type { KeyRecipe } from '../key-recipe.js'
import type { AdoptionOptions } from '../options.js'
import { refuse } from '../refusal.js'
import type { Session } from './session.js'

/**
 * In a transaction that is rolled back, and by the search path of the switch.
 *
 * @throws {IdError} for a default that the server does not take: the switch would be late to find out.
 */
export async function refuseDefaults(
  session: Session,
  { tables }: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Promise<void> {
  for (const [i, { table, default: value }] of tables.entries()) {
    if (value === undefined) continue
    const { type } = (recipes[i] as KeyRecipe).storage.column
    await session
      .query(`CREATE TEMPORARY TABLE snoflax_default_${i + 1} (id ${type} DEFAULT ${value})`)
      .catch(({ message }: Error) => refuse(table, `its default ${value} is refused: ${message}`, value))
  }
}
