import { definitionsOf, hasTable, refusal, type SchemaOption, schemaOf, stateOf } from './install.js'
import { type Client, settled } from './session.js'

/** A difference from what was installed. */
export interface Drift {
  /** What differs, such as `function flax_time`, `column _lease.token`, `trigger _lease.audit`. */
  readonly object: string
  /** `added` occurs for the installer's own tables only. */
  readonly change: 'added' | 'altered' | 'missing'
}

/**
 * Functions, procedures, views and tables that have changed since they were installed. {@link install} restores
 * functions, procedures and views, but not tables. After an upgrade of the server, which may print tables and views
 * differently, these are only checked for existence.
 *
 * @throws {IdError} `INVALID_OPTION` if nothing is installed, or by a version without a manifest; for a schema name
 * that needs quoting; and for an account that can't read the definitions. And what the database throws.
 *
 * @example
 * for (const { object, change } of await drift(pool)) console.log(`${object} is ${change}`)
 */
export async function drift(client: Client, options: SchemaOption = {}): Promise<Drift[]> {
  const schema = schemaOf('drift', options)
  const [found, installed] = await settled(client, async (run) => {
    if ((await stateOf(run, schema)) === undefined) throw refusal(`nothing is installed in ${schema}`)
    if (!(await hasTable(run, schema, '_manifest'))) throw refusal(`${schema} has no manifest; install again`)
    return [
      await run(definitionsOf(schema)),
      await run(
        `SELECT object, definition, server = version() AS comparable FROM ${schema}._manifest ORDER BY object`,
      ),
    ]
  })
  const definitions = new Map(found.map(({ object, definition }) => [String(object), definition]))
  const isKnown = new Set(installed.map(({ object }) => String(object)))
  const unread = installed.find(({ object }) => definitions.get(String(object)) === null)
  if (unread !== undefined) {
    throw refusal(
      `this account can't read ${unread['object']}; connect as the account that installed it, or GRANT SHOW_ROUTINE`,
    )
  }
  const changes = installed.flatMap(({ object, definition, comparable }): Drift[] => {
    const name = String(object)
    const [, table] = /^(?:column|index|row|trigger) (?:\S+ of )?(\w+)/.exec(name) ?? []
    if (!definitions.has(name)) {
      return table && !definitions.has(`table ${table}`) ? [] : [{ object: name, change: 'missing' }]
    }
    const isCompared = Number(comparable) === 1 || /^(function|procedure|row) /.test(name)
    return isCompared && definitions.get(name) !== definition ? [{ object: name, change: 'altered' }] : []
  })
  const added = found
    .filter(({ object, name }) => isKnown.has(`table ${name}`) && !isKnown.has(String(object)))
    .map(({ object }): Drift => ({ object: String(object), change: 'added' }))
  return [...changes, ...added]
}
