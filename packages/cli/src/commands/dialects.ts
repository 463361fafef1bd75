import type { Database } from '@snoflax/core'
import { UsageError } from '../exit.js'

/** MariaDB writes what MySQL writes. */
export const DIALECTS = ['postgres', 'sqlite', 'mysql'] as const satisfies readonly Database[]
export type Dialect = (typeof DIALECTS)[number]

/** @throws {UsageError} */
export function dialectNamed(name: string): Dialect {
  const found = DIALECTS.find((dialect) => dialect === name)
  if (found) return found
  throw new UsageError(`a dialect is one of ${DIALECTS.join(', ')}, not ${name}`)
}
