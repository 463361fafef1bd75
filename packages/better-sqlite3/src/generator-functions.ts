import type { IdFamily } from '@snoflax/core'
import { type IdSource, idSource } from '@snoflax/core/adapter'
import { writers } from './ids.js'
import { readMoment } from './moments.js'
import { latest } from './own-functions.js'
import { type SqlFunction, volatile } from './sql-function.js'
import { numberOf, refuse, refuseType, type SqlValue } from './values.js'

/**
 * What generates ids, named without the family. `metas` is 1 if ids are generated with a metabyte, else 0. Without a generator
 * for a family that needs one, the first id is refused.
 */
export function generatorFunctions(
  family: IdFamily,
  generator: IdSource | undefined,
  metas: 0 | 1,
): { functions: SqlFunction[]; many(n?: SqlValue, meta?: SqlValue): Generator<SqlValue> } {
  const usage = (example: string): string =>
    `registerSnoflax(db, { generators: { ${family.name}: ${example} } })`
  const source = latest((meta: number | undefined) => idSource({ family, generator, meta, usage }))
  const newId = (meta: SqlValue | undefined): string => source(numberOf(meta))()
  const functions = writers(family).map(([ending, write]) =>
    volatile(`generate${ending}`, (meta) => write(newId(meta)), 0, metas),
  )
  const maker = (generator ?? family) as { generateAt?(time: number, meta?: number): string }
  const newIdAt = (moment: SqlValue, meta: SqlValue | undefined): string => {
    const id = maker.generateAt?.(readMoment(family.name, moment), numberOf(meta))
    // Not left out: the function of a generator that was registered before would stay.
    return id ?? refuse('INVALID_OPTION', family.name, 'generators', NO_MOMENTS)
  }
  if ('generateAt' in family || maker.generateAt) {
    for (const [ending, write] of writers(family)) {
      const call: SqlFunction['call'] = (moment, meta) => write(newIdAt(moment as SqlValue, meta))
      functions.push(volatile(`generate_at${ending}`, call, 1, metas))
    }
  }
  return {
    functions,
    *many(n, meta) {
      for (let left = count(family.name, n); left > 0; left--) yield family.decode(newId(meta))
    },
  }
}

const NO_MOMENTS = "this connection's generator cannot generate ids for another time"

/** A parameter that was left out is undefined. */
function count(family: string, n: SqlValue | undefined): number {
  const number = numberOf(n)
  if (Number.isSafeInteger(number) && number >= 0) return number
  const rule = 'n must be an integer, 0 or more'
  if (typeof number !== 'number') refuseType(family, rule, n, 'n')
  return refuse('FIELD_OUT_OF_RANGE', family, 'n', `${rule}, not ${n}`, n)
}
