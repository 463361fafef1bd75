import type { IdFamily, StorageName } from '@snoflax/core'
import { type SQL, sql } from 'drizzle-orm'

export const DEFAULT_SCHEMA = 'snoflax'

/** A function of the SQL package, as `snoflax.uid_local_time`. */
export const sqlFunction = (schema: string, family: IdFamily<string>, verb: string): SQL =>
  sql.raw(`${identifier(schema)}.${identifier(`${snakeCase(family.name)}_${verb}`)}`)

/**
 * What the functions that tell time have to be told of a family by itself, since ids don't say it: their epoch or
 * neighbourhood.
 */
export function settingsOf(family: IdFamily<string>): readonly number[] {
  if ('withEpoch' in family) return [family.layout.epochMs]
  return 'neighbourhood' in family ? [Number(family.neighbourhood)] : []
}

/** How the SQL functions that answer a storage's form end. */
export const endingOf = (storage: StorageName): string => (storage === 'binary' ? '' : `_${storage}`)

/** Bare where it can be, as PostgreSQL gives it back: drizzle-kit compares the two. */
export const identifier = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`

/** Words of SQL that someone could want to call a schema. */
const RESERVED = new Set(['all', 'default', 'end', 'order', 'primary', 'references', 'table', 'user'])

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
