import type { IdFamily } from '@snoflax/core'
import { type IdSource, idSource } from '@snoflax/core/adapter'
import { writers } from './ids.js'
import { readMoment } from './moments.js'
import { latest } from './own-functions.js'
import { type SqlFunction, volatile } from './sql-function.js'
import { numberOf, refuse, refuseType, type SqlValue } from './values.js'

/**
 * The functions that generate ids, named without the family. `metas` is 1 if ids have a metabyte, else 0. Without a
 * generator for a family that needs one, the first call throws.
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
  const timed = (generator ?? family) as { generateAt?(time: number, meta?: number): string }
  const newIdAt = (time: SqlValue, meta: SqlValue | undefined): string => {
    const id = timed.generateAt?.(readMoment(family.name, time), numberOf(meta))
    // Registered even if it throws, to replace the function of an earlier generator.
    return id ?? refuse('INVALID_OPTION', family.name, 'generators', NO_TIMES)
  }
  if ('generateAt' in family || timed.generateAt) {
    for (const [ending, write] of writers(family)) {
      const call: SqlFunction['call'] = (time, meta) => write(newIdAt(time as SqlValue, meta))
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

const NO_TIMES = "this connection's generator has no generateAt(); register one that has"

/** A parameter that was left out is undefined. */
function count(family: string, n: SqlValue | undefined): number {
  const number = numberOf(n)
  if (Number.isSafeInteger(number) && number >= 0) return number
  const rule = 'n must be an integer, 0 or more'
  if (typeof number !== 'number') refuseType(family, rule, n, 'n')
  return refuse('FIELD_OUT_OF_RANGE', family, 'n', `${rule}, not ${n}`, n)
}
