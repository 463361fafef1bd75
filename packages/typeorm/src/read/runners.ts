import { hexOf, isAlike } from '@snoflax/core/adapter'
import type { DataSource, Logger, QueryRunner } from 'typeorm'
import { unmarked } from '../columns/as-text.js'
import {
  around,
  dataSourceOf,
  type PreparedColumn,
  preparedOf,
  type RowReader,
  state,
} from '../columns/prepared.js'

type Row = Record<string, unknown>
type Given = unknown[] | Row | undefined

/** A query runner, which opens its connection with the first query. */
interface Connecting extends QueryRunner {
  readonly databaseConnectionPromise?: Promise<unknown>
}

/** The part of Node's streams that we use. */
interface Stream {
  push(row: Row | null, ...rest: unknown[]): boolean
  destroy(error: unknown): void
}

/** Converts ids in the statements of a query runner, and in their rows. */
export function convertIn(runner: QueryRunner): void {
  const dataSource = dataSourceOf(runner)
  if (state.patched.has(runner)) return
  state.patched.add(runner)
  around<QueryRunner, [string, Given, ...unknown[]], Promise<unknown>>(
    runner,
    'query',
    async (_, query, sql, given, ...rest) => {
      const parameters = withStoredIds(sql, given, dataSource)
      const result = await query(sql, parameters, ...rest).catch((error: unknown) => {
        throw withTexts(error, parameters, dataSource)
      })
      if (given === undefined) return result
      state.own.get(given)?.(rowsIn(result))
      await state.inserted.get(given)?.()
      return result
    },
  )
  around<QueryRunner, [string, Given, ...unknown[]], Promise<Stream>>(
    runner,
    'stream',
    async (_, open, sql, given, ...rest) => {
      const stream = await open(sql, withStoredIds(sql, given, dataSource), ...rest)
      const read = given && state.own.get(given)
      return read ? putIdsIntoStream(stream, read) : stream
    },
  )
  // A save with a refused id releases its runner while other rows are being loaded. A connection opened after that
  // never returns to the pool, and `destroy()` waits for it forever.
  around<Connecting, [], Promise<void>>(runner, 'release', async (self, release) => {
    await self.databaseConnectionPromise?.catch(() => undefined)
    return release()
  })
}

/**
 * The parameters of the user's own SQL, where only the text names columns.
 *
 * @throws {IdError} `INVALID_OPTION` for an id that can't be converted and that the database would not refuse.
 */
function withStoredIds(sql: string, given: Given, dataSource: DataSource): Given {
  const { ids, database: dialect, converts } = preparedOf(dataSource)
  const isOwn = given !== undefined && state.own.has(given)
  if (!converts || isOwn || !ids.mayBeIn(sql, Object.values(given ?? {}))) return unmarked(given)
  const values = (given ?? []) as Row
  // mysql2 can bind an object by names.
  const placeholder = Array.isArray(given) ? undefined : /:[A-Za-z0-9_]+/
  const found = ids.find({ sql, dialect, ...(placeholder && { placeholder }), value: (key) => values[key] })
  const parameters = (Array.isArray(given) ? [...given] : { ...given }) as Row
  for (const [key, column] of found) {
    parameters[key] = (column as PreparedColumn['inSql']).column.to(values[key])
  }
  return unmarked(given && parameters)
}

/** The rows of a result: of TypeORM's own form, or of the driver's. */
function rowsIn(result: unknown): Row[] {
  const { records } = (result ?? {}) as { readonly records?: Row[] }
  return records ?? (Array.isArray(result) ? (result as Row[]) : [])
}

/** Puts ids into each row of a stream. A refused row ends the stream with its error. */
function putIdsIntoStream(stream: Stream, read: RowReader): Stream {
  const { push } = stream
  return Object.assign(stream, {
    push(this: Stream, row: Row | null, ...rest: unknown[]) {
      try {
        if (row !== null) read([row])
      } catch (error) {
        this.destroy(error)
        // On false mysql2 would pause its connection, which the pool passes on.
        return true
      }
      return push.call(this, row, ...rest)
    },
  })
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Finds the id behind a stored value; other values are returned unchanged. */
function readableIn(dataSource: DataSource): (value: unknown) => unknown {
  const columns = preparedOf(dataSource).columns.filter(({ storage }) => storage.name.startsWith('uuid'))
  const forms = columns.filter(
    (one, at) => columns.findIndex((other) => isAlike(one.inSql, other.inSql)) === at,
  )
  const ofUuid = (uuid: string): string => {
    const read = forms.flatMap(({ storage }) => {
      try {
        return storage.fromDatabase(uuid)
      } catch {
        return []
      }
    })
    return read.length === 1 ? String(read[0]) : uuid
  }
  const readable = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(readable)
    if (typeof value === 'string') return value.replace(UUID, ofUuid)
    return (typeof value === 'object' && value !== null && state.texts.get(value)) || value
  }
  return readable
}

/** Changes an error of the database in place, so that everyone who gets it later sees the ids. */
function withTexts(error: unknown, parameters: Given, dataSource: DataSource): unknown {
  if (typeof error !== 'object' || error === null || !Array.isArray(parameters)) return error
  const readable = readableIn(dataSource)
  const bytes = parameters
    .flat()
    .filter((one): one is Buffer => ArrayBuffer.isView(one) && state.texts.has(one))
  const texts = error as Record<string, unknown>
  for (const name of ['message', 'detail', 'sqlMessage', 'sql']) {
    if (typeof texts[name] !== 'string') continue
    let text = readable(texts[name]) as string
    for (const value of bytes) {
      for (const form of formsOf(value)) text = text.replaceAll(form, () => state.texts.get(value) as string)
    }
    texts[name] = text
  }
  return Object.assign(error, { parameters: parameters.map(readable) })
}

/** How databases write bytes into their messages: PostgreSQL as hex, MySQL and MariaDB as ASCII with escapes. */
function formsOf(bytes: Uint8Array): string[] {
  const escaped = (byte: number) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${hexOf(Uint8Array.of(byte)).toUpperCase()}`
  return [`\\x${hexOf(bytes)}`, Array.from(bytes, escaped).join('')]
}

/** Makes the DataSource's logger get ids where the driver gets their stored form. */
export function logReadably(dataSource: DataSource): void {
  const { logger, options } = dataSource
  if (state.patched.has(logger)) return
  const logging = [options.logging].flat()
  const logsQueries =
    typeof options.logger === 'object' ||
    logging.some((one) => one === true || one === 'all' || one === 'query')
  const idsOf = (values: Parameters<Logger['logQuery']>[1]) =>
    Array.isArray(values) ? values.map(readableIn(dataSource)) : values
  const readable: Pick<Logger, 'logQuery' | 'logQueryError' | 'logQuerySlow'> = {
    logQuery: (sql, values, runner) => logger.logQuery(sql, logsQueries ? idsOf(values) : values, runner),
    logQueryError: (error, sql, values, runner) =>
      logger.logQueryError(
        withTexts(error, values as Given, dataSource) as Error,
        sql,
        idsOf(values),
        runner,
      ),
    logQuerySlow: (time, sql, values, runner) => logger.logQuerySlow(time, sql, idsOf(values), runner),
  }
  const proxy = new Proxy(logger, {
    get(target, name) {
      if (Object.hasOwn(readable, name)) return readable[name as keyof typeof readable]
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  state.patched.add(proxy)
  Object.assign(dataSource, { logger: proxy })
}
