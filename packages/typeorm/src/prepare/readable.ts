import type { DataSource, Logger, QueryRunner } from 'typeorm'
import { readableList, readableText } from '../columns/bound.js'
import { state } from '../columns/prepared.js'

type Query = (sql: string, parameters?: unknown[], ...rest: unknown[]) => Promise<unknown>

/** Runs a query. Its errors show the ids that were bound instead of their bytes. */
export async function queryReadably(
  runner: object,
  query: Query,
  sql: string,
  parameters?: unknown[],
  ...rest: unknown[]
): Promise<unknown> {
  if (!parameters || !state.bound.has(parameters)) return query(sql, parameters, ...rest)
  const running = state.running.get(runner) ?? new Set()
  state.running.set(runner, running.add(parameters))
  try {
    return await query(sql, parameters, ...rest)
  } catch (error) {
    throw Object.assign(showIds(error, parameters) as object, { parameters: readableList(parameters) })
  } finally {
    running.delete(parameters)
  }
}

/** Changes the error in place, so that everyone who gets it later sees the ids. */
function showIds(error: unknown, parameters: readonly unknown[]): unknown {
  if (typeof error !== 'object' || error === null) return error
  const texts = error as Record<string, unknown>
  for (const name of ['message', 'detail', 'sqlMessage', 'sql']) {
    const text = texts[name]
    if (typeof text === 'string') texts[name] = readableText(text, parameters)
  }
  return error
}

/** Makes the DataSource's logger get ids where the driver gets bytes. */
export function logReadably(dataSource: DataSource): void {
  const { logger, options } = dataSource
  if (state.patched.has(logger)) return
  const logging = [options.logging].flat()
  const logsQueries =
    typeof options.logger === 'object' ||
    logging.some((one) => one === true || one === 'all' || one === 'query')
  const idsOf = (values: Parameters<Logger['logQuery']>[1], runner?: QueryRunner) =>
    readableList(listOf(values, runner)) ?? values
  const readable: Pick<Logger, 'logQuery' | 'logQueryError' | 'logQuerySlow'> = {
    logQuery: (sql, values, runner) =>
      logger.logQuery(sql, logsQueries ? idsOf(values, runner) : values, runner),
    logQueryError: (error, sql, values, runner) =>
      logger.logQueryError(
        showIds(error, listOf(values, runner) ?? []) as Error,
        sql,
        idsOf(values, runner),
        runner,
      ),
    logQuerySlow: (time, sql, values, runner) =>
      logger.logQuerySlow(time, sql, idsOf(values, runner), runner),
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

/** Some drivers copy the list before they log it. */
function listOf(
  values: Parameters<Logger['logQuery']>[1],
  runner: QueryRunner | undefined,
): readonly unknown[] | undefined {
  if (!Array.isArray(values)) return undefined
  if (!runner || state.bound.has(values)) return values
  return [...(state.running.get(runner) ?? [])].find(
    (list) =>
      list.length === values.length && list.every((one, i) => one === values[i] || typeof one === 'boolean'),
  )
}
