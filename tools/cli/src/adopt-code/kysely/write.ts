import { relative } from 'node:path'
import { IdError, opaque } from '@snoflax/core'
import type ts from 'typescript'
import { statementOf } from '../columns.js'
import type { Definitions } from '../definitions.js'
import type { Edit } from '../edits.js'
import { isText, type KeyPlan, type Named, type ReferencePlan } from '../plan.js'
import type { Source, Sources } from '../sources.js'
import { type Change, Unwritable, type Writer } from '../written.js'
import type { KyselyInput } from './facts.js'

/** Writes keys and foreign keys into the tables of an idPlugin, and that into the plugins of a client. */
export class KyselyWriter implements Writer {
  /** Columns to declare, as `id: idColumn.plain(…)`, by the name of their table. */
  readonly #tables = new Map<string, string[]>()

  constructor(
    readonly sources: Sources,
    readonly definitions: Definitions,
    readonly input: KyselyInput,
  ) {}

  get edits(): ReadonlyMap<string, readonly Edit[]> {
    return this.definitions.edits
  }

  whole = <Result>(work: () => Result): Result => this.definitions.whole(work)

  lineOf({ table, column }: Named): number | undefined {
    const [place] = table.places
    const own = this.input.application.tables.find(({ name }) => name === place?.name)
    return own?.columns.get(column.key)?.line
  }

  /** @throws {Unwritable} */
  writeKey(key: KeyPlan): Change {
    const { file, statement } = this.#place()
    const isOfText = isText(key.column.type)
    const isUuidInText = this.#isUuidInText(key)
    const options = [
      ...(isUuidInText ? ["storage: 'text'"] : []),
      ...(isOfText ? ["onMismatch: 'notFound'"] : []),
      ...(this.definitions.isBranded ? [] : ['branded: false']),
    ]
    this.definitions.import(file, ['idColumn', '@snoflax/kysely'], ['idPlugin', '@snoflax/kysely'])
    const { name } = this.definitions.define(key, file, statement)
    const stem = isUuidInText ? 'keptUuidText' : isOfText ? 'kept' : 'keptUuid'
    const kept = options.length > 0 ? `, ${this.definitions.options(file, stem, options)}` : ''
    return this.#declare(key, `idColumn.plain(${name}${kept})`, `opaque, ${key.by}`)
  }

  writeReference(one: ReferencePlan): Change {
    return this.#declare(one, `idColumn.ref('${one.key.name}')`, one.key.name)
  }

  /** @throws {Unwritable} for a pattern that a definition refuses */
  #isUuidInText({ name, pattern, column: { type } }: KeyPlan): boolean {
    try {
      const { storages } = opaque(name, { pattern: new RegExp(pattern) })
      return this.input.database === 'postgres' && storages.includes('uuid') && !/^uuid$/i.test(type)
    } catch (error) {
      if (error instanceof IdError) throw new Unwritable(error.message)
      throw error
    }
  }

  #declare(one: Named, column: string, text: string): Change {
    const table = one.table.places[0]?.name as string
    const all = this.#tables.get(table) ?? []
    this.#tables.set(table, [...all, `${nameOf(one.column.key)}: ${column}`])
    const line = this.lineOf(one)
    return { file: one.file, line: line as number, text }
  }

  /** Where definitions are written: above the plugin, or the options that get it. */
  #place(): { file: Source; statement: ts.Node; tables?: ts.ObjectLiteralExpression } {
    const { plugin, options } = this.input.application
    const node = plugin ?? options
    const file = node && this.sources.fileAt(node.getSourceFile().fileName)
    if (!node || !file)
      throw new Unwritable(
        'the options of new Kysely are no object in the files: write idPlugin({ … }) into its plugins by hand',
      )
    const { ts } = this.sources
    const statement = statementOf(ts, node)
    if (!plugin) return { file, statement }
    const [config] = plugin.arguments
    const tables = config && ts.isObjectLiteralExpression(config) && this.sources.member(config, 'tables')
    if (!tables || !ts.isObjectLiteralExpression(tables))
      throw new Unwritable('the tables of its idPlugin stand elsewhere: declare it there by hand')
    return { file, statement, tables }
  }

  finish(): void {
    if (this.#tables.size > 0) {
      const { file, statement, tables } = this.#place()
      if (tables) this.#extend(file, tables)
      else this.#create(file, statement)
    }
    this.definitions.finish()
  }

  #create(file: Source, statement: ts.Node): void {
    const { application, database } = this.input
    const name = this.definitions.nameIn(file, 'ids')
    const lines = [...this.#tables].map(([table, own]) => `    ${nameOf(table)}: { ${own.join(', ')} },\n`)
    this.definitions.write(
      file,
      this.definitions.above(file, statement),
      `export const ${name} = idPlugin({\n  database: '${database}',\n  tables: {\n${lines.join('')}  },\n})`,
    )
    const { ts } = this.sources
    const options = application.options as ts.ObjectLiteralExpression
    const plugins = options.properties.find((one) => one.name?.getText() === 'plugins')
    const value =
      plugins && ts.isPropertyAssignment(plugins) ? this.sources.bare(plugins.initializer) : undefined
    if (value && ts.isArrayLiteralExpression(value)) {
      const at = value.getStart() + 1
      this.definitions.edit(file, {
        start: at,
        end: at,
        text: value.elements.length > 0 ? `${name}, ` : name,
      })
    } else if (plugins) {
      const text = `plugins: [${name}, ...${value ? `(${value.getText()})` : 'plugins'}]`
      this.definitions.edit(file, { start: plugins.getStart(), end: plugins.end, text })
    } else {
      const at = options.getStart() + 1
      const space = /^\s*/.exec(file.node.text.slice(at))?.[0] || ' '
      this.definitions.edit(file, { start: at, end: at, text: `${space}plugins: [${name}],` })
    }
  }

  /** Adds columns to a plugin that is there. */
  #extend(file: Source, tables: ts.ObjectLiteralExpression): void {
    const { ts } = this.sources
    for (const [table, columns] of this.#tables) {
      const own = this.sources.member(tables, table)
      const isKnown = own && ts.isObjectLiteralExpression(own)
      const at = (isKnown ? own : tables).getStart() + 1
      const text = isKnown ? ` ${columns.join(', ')},` : `\n    ${nameOf(table)}: { ${columns.join(', ')} },`
      this.definitions.edit(file, { start: at, end: at, text })
    }
  }

  get next(): string[] {
    if (this.#tables.size === 0) return []
    const { others } = this.input.application
    const clients = others.map((one) => `${relative('.', one.file)}:${one.line}`).join(', ')
    return [
      ...(clients ? [`other clients check no ids: put the plugin into theirs, too: ${clients}`] : []),
      ...(this.definitions.isBranded
        ? ['type the ids: pass WithIds<…, typeof ids> of @snoflax/kysely to Kysely, with your interface']
        : []),
    ]
  }
}

/** As a property: quoted if need be. */
const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
