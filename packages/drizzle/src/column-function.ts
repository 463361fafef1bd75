import type { IdFamily } from '@snoflax/core'
import type { ColumnOptions, ColumnRequest, ColumnRole } from './options.js'

/**
 * A function that starts an id column, with `.ref` and `.plain` beside it. As in Drizzle, the name may be
 * left out.
 */
export function columnFunction<Builder>(
  family: IdFamily<string>,
  start: (name: string, request: ColumnRequest) => Builder,
) {
  const starting =
    (role: ColumnRole) =>
    (name?: string | ColumnOptions, options?: ColumnOptions): Builder =>
      typeof name === 'string'
        ? start(name, { family, role, options: options ?? {} })
        : start('', { family, role, options: name ?? {} })
  return Object.assign(starting('generated'), { ref: starting('reference'), plain: starting('plain') })
}
