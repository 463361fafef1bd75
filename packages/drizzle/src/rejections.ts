import type { DrizzleCopy } from './copy.js'
import type { IdDialect } from './id-column/dialect.js'
import { shared } from './shared.js'

type Runnable = Record<string, (...given: unknown[]) => unknown>

/** What says whether the driver is synchronous, in databases, prepared queries and builders. */
interface Running {
  readonly resultKind?: 'sync' | 'async'
  readonly session?: {
    readonly resultKind?: 'sync' | 'async'
    prepareQuery(query: object, ...given: unknown[]): { readonly mode?: 'sync' | 'async' }
  }
}

const RUNNING = ['execute', 'run', 'all', 'get', 'values']

/**
 * Drizzle builds SQL before there is a promise, so what a column refuses would be thrown past `.catch()`. Here it
 * becomes a rejection, as the database's own errors are. Synchronous drivers still throw.
 */
export function rejectRefusals(classes: object, { QueryPromise }: DrizzleCopy, database: string): void {
  /** In place of a query that can't be built: every way of running it rejects, and batches can't read it. */
  function refused(error: unknown): object {
    const reject = () => Promise.reject(error)
    const refuse = () => {
      throw error
    }
    const query = Object.assign(new QueryPromise(), {
      _prepare: () => query,
      getQuery: refuse,
      iterator: refuse,
    })
    return Object.assign(query, Object.fromEntries(RUNNING.map((name) => [name, reject])))
  }

  function replace(
    prototype: Runnable,
    name: string,
    isThrown: (running: Running, given: unknown[]) => boolean,
  ) {
    const original = prototype[name] as Runnable[string]
    const isPreparing = name.endsWith('prepare')
    const value = function (this: Running, ...given: unknown[]) {
      const before = shared.isPreparing
      try {
        if (isPreparing) shared.isPreparing = given.length > 0
        const { related } = shared
        const result = original.apply(this, given)
        // A function of `extras` has patched what was building the query that called it.
        return isPreparing && related !== shared.related ? original.apply(this, given) : result
      } catch (error) {
        if (isThrown(this, given)) throw error
        return name === 'then' ? Promise.reject(error).then(...(given as [])) : refused(error)
      } finally {
        shared.isPreparing = before
      }
    }
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
  }

  const isSync = ({ resultKind, session }: Running): boolean => {
    if (database !== 'sqlite') return false
    const kind = resultKind ?? session?.resultKind
    return (kind ?? session?.prepareQuery({ sql: 'select 1', params: [] }, undefined, 'all').mode) === 'sync'
  }

  for (const [name, { prototype }] of Object.entries<{ readonly prototype?: Runnable }>(classes as never)) {
    if (!prototype) continue
    const own = (method: string) => Object.hasOwn(prototype, method)
    if (own('then')) replace(prototype, 'then', () => false)
    // Drizzle passes arguments if it prepares for the user, who gets the error at once. MySQL has one method for both, so
    // there a prepared insert repeats its ids, as with Drizzle's own defaults.
    const preparing = 'then' in prototype && ['_prepare', 'prepare'].find(own)
    if (preparing) replace(prototype, preparing, (one, given) => given.length > 0 || isSync(one))
    if (!/(?:Database|PreparedQuery)$/.test(name)) continue
    for (const running of RUNNING.filter(own)) replace(prototype, running, isSync)
  }
}

interface Databases {
  new (...given: unknown[]): { readonly query: { readonly one: { findMany(): object } } }
}

/** The class of `db.query`'s queries, which Drizzle 0.45 doesn't export. */
export function relationalQueryIn(core: object, { prefix }: IdDialect): object {
  const databases = core as Readonly<Record<string, Databases | undefined>>
  const schema = { schema: { one: {} }, fullSchema: { one: {} }, tableNamesMap: {} }
  const { [`${prefix}Database`]: Database, [`Base${prefix}Database`]: Base } = databases
  const db = Database ? new Database({}, {}, schema) : Base && new Base('async', {}, {}, schema)
  return db ? { RelationalQuery: db.query.one.findMany().constructor } : {}
}
