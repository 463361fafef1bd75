import type ts from 'typescript'
import { ClassWriter, type Dialect, type Option, UUIDS } from '../classes/write.js'
import { Columns, type Link, type Written } from '../columns.js'
import type { Definitions } from '../definitions.js'
import type { Facts, Place } from '../load/facts.js'
import { isText, type KeyPlan, type Named } from '../plan.js'
import type { Sources } from '../sources.js'
import { type Change, Unwritable, type Writer } from '../written.js'

/** Options of MikroORM's properties that id properties have, too. */
const SHARED = ['fieldName', 'comment', 'unique']
/** Options that stand beside those of an id property. */
const BESIDE = [
  'default',
  'defaultRaw',
  'hidden',
  'index',
  'serializedName',
  'groups',
  'serializer',
  'concurrencyCheck',
]
/** What the facts say again. */
const OF_TYPE = ['type', '$type', 'length', 'columnType', 'primary', 'runtimeType', 'autoincrement']
const IMPORTED = ['idProperty', '@snoflax/mikro-orm'] as const

/** Writes MikroORM's keys as properties of ids. Relations take the types of their targets. */
export class MikroOrmWriter implements Writer {
  readonly #columns: Columns
  readonly #classes: ClassWriter

  constructor(
    readonly sources: Sources,
    readonly definitions: Definitions,
    readonly facts: Facts,
    keys: readonly KeyPlan[],
  ) {
    this.#columns = new Columns(sources, ({ arguments: args }) => {
      const [object] = args ?? []
      return object && sources.ts.isObjectLiteralExpression(object)
        ? sources.member(object, 'properties')
        : undefined
    })
    const dialect: Dialect = {
      module: /^@mikro-orm\/decorators\/(?:legacy|es)$/,
      decorators: /^(?:PrimaryKey|Property)$/,
      ofType: OF_TYPE,
      option: 'onCreate',
      imported: IMPORTED,
      write: (old, definition, options, key) => `@${old}(${this.#propertyOf(key, definition, options)})`,
      // Without a value, classes of ES2022 would hide that of the base class.
      again: (definition) => `${definition}.generate()`,
    }
    this.#classes = new ClassWriter(sources, definitions, facts.tables, keys, dialect)
  }

  lineOf(one: Named): number | undefined {
    const written = this.#find(one)
    if (!written) return this.#classes.lineOf(one)
    const { inTable, root, file } = written
    return this.sources.lineOf(inTable ? file : root.scope.file, inTable ?? root.node)
  }

  /** @throws {Unwritable} */
  writeKey(key: KeyPlan): Change {
    const written = this.#find(key)
    if (!written) return this.#classes.writeKey(key)
    const { file, chain, statement, inTable } = written
    const textOf = ({ scope }: Link, node: ts.Expression): string => {
      const text = this.definitions.textOf({ scope, node }, file)
      if (text !== undefined) return text
      throw new Unwritable("it comes from a function whose values its entity can't name: declare it by hand")
    }
    if (!inTable) throw new Unwritable('its entity has its properties from elsewhere: declare it by hand')
    const link = chain.filter(({ name }) => name === 'onCreate').at(-1)
    const generator = link?.node.arguments[0]
    if (!key.column.isUuidGenerated && !generator)
      throw new Unwritable(
        'what generates it is no onCreate of its property: declare it by hand, with idProperty(…)',
      )
    const options = chain.flatMap((one): Option[] => {
      if (one === link || OF_TYPE.includes(one.name)) return []
      const [value, other] = one.node.arguments
      if (other) throw new Unwritable(`${one.name} is no option of an id property`)
      const name = one.name === 'name' ? 'fieldName' : one.name
      return [{ name, text: `${name}: ${value ? textOf(one, value) : 'true'}` }]
    })
    const generate = link && generator ? textOf(link, generator) : UUIDS
    this.definitions.import(file, IMPORTED)
    const { name } = this.definitions.define(key, file, statement, generate)
    const text = this.#propertyOf(key, name, options)
    this.definitions.edit(file, this.#columns.edit(written, key.column.key, text))
    return { text: `opaque, ${key.by}`, line: this.lineOf(key) as number, file: file.path }
  }

  writeReference(): undefined {}

  /** `idProperty(…)`, with the options that keep what the property was. */
  #propertyOf({ column, pattern }: KeyPlan, definition: string, options: readonly Option[]): string {
    const { type, isPrimary } = column
    const strange = options.find(({ name }) => !SHARED.includes(name) && !BESIDE.includes(name))
    if (strange) throw new Unwritable(`${strange.text} is no option of an id property`)
    const { database } = this.facts
    // PostgreSQL's column of UUIDs would be one of type uuid.
    const isUuidText = database === 'postgres' && /^\[0-9a-f\]\{8\}/.test(pattern)
    const isUsual = database !== 'mysql' && (isUuidText ? /^uuid$/i : /^(?:text|uuid)$/i).test(type)
    const textsOf = (names: readonly string[]): string[] =>
      options.flatMap(({ name, text }) => (names.includes(name) ? text : []))
    const own = [
      ...textsOf(SHARED),
      ...(isPrimary ? [] : ['primary: false']),
      ...(isUsual ? [] : [`columnType: '${type}'`]),
      ...(isText(type) ? ["onMismatch: 'notFound'"] : []),
      ...(this.definitions.isBranded ? [] : ['branded: false']),
    ].join(', ')
    const call = `idProperty(${definition}${own && `, { ${own} }`})`
    const beside = textsOf(BESIDE)
    return beside.length > 0 ? `{ ...${call}, ${beside.join(', ')} }` : call
  }

  /** Its chain of calls, in what `defineEntity()` got; a class may extend that. */
  #find({ table, column }: Named): Written | undefined {
    const { ts } = this.sources
    const schemas = table.places.flatMap((place): Place[] => {
      const file = this.sources.placed(place)
      const declared = file?.declared.get(place.name)
      if (!file || !declared || !ts.isClassDeclaration(declared)) return [place]
      const base = declared.heritageClauses?.[0]?.types[0]?.expression
      if (!base || !ts.isPropertyAccessExpression(base)) return []
      const found = this.sources.declarationOf(this.sources.scopeOf(file), base.expression)
      return found ? [{ file: found.scope.file.path, name: base.expression.getText() }] : []
    })
    // That of a relation or of an embeddable for its columns.
    return this.#columns.find(schemas, column.key.split('.')[0] as string)
  }
}
