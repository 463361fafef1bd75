import type ts from 'typescript'
import type { Definitions } from '../definitions.js'
import type { Facts, Place } from '../load/facts.js'
import { isText, type KeyPlan, type Named } from '../plan.js'
import type { Scope, Source, Sources } from '../sources.js'
import { type Change, Unwritable, type Writer } from '../written.js'
import { generatorOf } from './generator.js'

/** Options of TypeORM's columns that id columns have, too. */
const SHARED = ['name', 'comment', 'nullable', 'select', 'unique', 'primaryKeyConstraintName']
/** Options that the facts say again. */
const OF_TYPE = ['type', 'length', 'primary', 'generated']

interface Property {
  readonly file: Source
  readonly statement: ts.ClassDeclaration
  readonly node: ts.PropertyDeclaration
}

/** How a key is written. */
interface Prepared {
  /** The class of its entity. */
  readonly own: Omit<Property, 'node'>
  /** Its property, in that class or one that this extends. */
  readonly found: Property
  readonly decorator: ts.Decorator
  readonly options: readonly string[]
  /** The expression that generates it. */
  readonly value: string
}

/** Writes TypeORM's keys as columns of ids. Foreign keys follow them by themselves. */
export class TypeormWriter implements Writer {
  /** Decorators of base classes that have been removed. */
  readonly #removed = new Set<ts.Decorator>()

  constructor(
    readonly sources: Sources,
    readonly definitions: Definitions,
    readonly tables: Facts['tables'],
    readonly keys: readonly KeyPlan[],
  ) {}

  lineOf(one: Named): number | undefined {
    const found = this.#find(one)
    return found && this.sources.lineOf(found.file, found.node.name)
  }

  /** @throws {Unwritable} */
  writeKey(key: KeyPlan): Change {
    const prepared = this.#prepare(key)
    const { own, found, decorator, options, value } = prepared
    const { file, statement } = own
    const isInherited = statement !== found.statement
    if (isInherited) this.#checkHeirs(key)
    this.definitions.import(file, ['IdColumn', '@snoflax/typeorm'])
    const { name } = this.definitions.define(key, file, statement, `() => ${value}`)
    const text = `@IdColumn(${name}, { ${[...options, ...this.#typeOf(key)].join(', ')} })`
    if (isInherited) this.#declareAgain(prepared, text)
    else this.definitions.edit(file, { start: decorator.getStart(), end: decorator.end, text })
    const line = this.sources.lineOf(file, isInherited ? statement : found.node.name)
    return { file: file.path, line, text: `opaque, ${key.by}` }
  }

  #prepare(key: KeyPlan): Prepared {
    const found = this.#find(key)
    const [entity] = key.table.places
    const own = entity && this.#entityOf(entity)
    if (!found || !own)
      throw new Unwritable(
        `its property in class ${key.column.place?.name} can't be found: declare it by hand`,
      )
    const { file, node, statement } = found
    const made = generatorOf(this.sources, statement, node)
    const value = key.column.isUuidGenerated
      ? 'crypto.randomUUID()'
      : made && this.#textOf({ scope: this.sources.scopeAround(file, node), node: made }, own.file)
    if (value === undefined)
      throw new Unwritable(
        "what generates it isn't a statement of its class that can stand beside its entity: declare it by hand, with opaque(…)",
      )
    return { own, found, value, ...this.#decoratorOf(file, node) }
  }

  /** A definition has one table, so a key of a base class is declared in all of its entities, or in none. */
  #checkHeirs({ column: { place, key } }: KeyPlan): void {
    const isSame = ({ column }: Pick<Named, 'column'>): boolean =>
      column.key === key && column.place?.name === place?.name && column.place?.file === place?.file
    const heirs = this.keys.filter(isSame)
    for (const { columns, name } of this.tables)
      for (const column of columns)
        if (isSame({ column }) && !heirs.some((one) => one.column === column))
          throw new Unwritable(
            `its class ${place?.name} is that of ${name}, too, which stays as it is: declare it by hand`,
          )
    for (const heir of heirs) this.#prepare(heir)
  }

  #declareAgain({ own, found: { file: base, node }, decorator, value }: Prepared, text: string): void {
    const { file, statement } = own
    const at = statement.members.pos
    const isOneLine = !file.node.text.slice(at, statement.end).includes('\n')
    const type = node.type?.getText() ?? 'string'
    const declared = node.initializer ? `: ${type} = ${value}` : `!: ${type}`
    const property = `${text} override ${node.name.getText()}${declared}`
    this.definitions.edit(file, { start: at, end: at, text: isOneLine ? ` ${property};` : `\n  ${property}` })
    if (this.#removed.has(decorator)) return
    this.#removed.add(decorator)
    const start = decorator.getStart()
    const space = /^\s*/.exec(base.node.text.slice(decorator.end))?.[0].length ?? 0
    this.definitions.edit(base, { start, end: decorator.end + space, text: '' })
  }

  #textOf(found: { scope: Scope; node: ts.Expression }, file: Source): string | undefined {
    const imports: (readonly [string, string])[] = []
    const text = this.sources.textIn(found, file, imports)
    if (text !== undefined && imports.length > 0) this.definitions.import(file, ...imports)
    return text
  }

  writeReference(): undefined {}

  #typeOf({ column: { type, isUuidGenerated } }: KeyPlan): string[] {
    const [, name = type, length] = /^(.*?)(?:\((\d+)\))?$/.exec(type) ?? []
    const brand = this.definitions.isBranded ? [] : ['branded: false']
    const other = isText(type) ? ["onMismatch: 'notFound'"] : []
    if (isUuidGenerated) return ["type: 'uuid'", "generated: 'uuid'", ...brand]
    const plain = name === 'character varying' ? 'varchar' : name
    return [`type: '${plain}'`, ...(length ? [`length: ${length}`] : []), ...other, ...brand]
  }

  #decoratorOf(file: Source, node: ts.PropertyDeclaration): { decorator: ts.Decorator; options: string[] } {
    const { ts } = this.sources
    const all = ts.getDecorators(node) ?? []
    const named = (one: ts.Decorator): string | undefined => {
      const call = one.expression
      if (!ts.isCallExpression(call)) return undefined
      const origin = this.sources.exportOf(this.sources.scopeOf(file), call.expression)
      return origin?.module === 'typeorm' ? origin.name : undefined
    }
    const decorator = all.find((one) => /^Primary(?:Generated)?Column$/.test(named(one) ?? ''))
    if (!decorator)
      throw new Unwritable('a decorator of your own declares it: declare it by hand, with IdColumn(…)')
    if (all.some((one) => named(one) === 'Generated'))
      throw new Unwritable('@Generated generates its ids: declare it by hand, with IdColumn(…)')
    const given = (decorator.expression as ts.CallExpression).arguments
    const object = given.find(ts.isObjectLiteralExpression)
    if (given.some((one) => one !== object && !ts.isStringLiteralLike(one)))
      throw new Unwritable('the options of its decorator stand elsewhere: declare it by hand')
    const nameOf = (one: ts.ObjectLiteralElementLike): string => one.name?.getText() ?? ''
    const others = (object?.properties ?? []).filter((one) => !OF_TYPE.includes(nameOf(one)))
    const strange = others.find((one) => !SHARED.includes(nameOf(one)))
    if (strange) throw new Unwritable(`${strange.getText()} is no option of an id column`)
    return { decorator, options: others.map((one) => one.getText()) }
  }

  /** The property, in the class of its entity or one that this extends; that of a relation for its column. */
  #find({ column, table }: Named): Property | undefined {
    const [entity] = table.places
    const name = column.place?.name ?? entity?.name
    const path = column.place?.file || entity?.file
    const file = path ? this.sources.fileAt(path) : undefined
    const property = column.key.split('.')[0]
    if (!file || !name) return undefined
    const found = this.#classesOf(file, name).flatMap((statement) =>
      statement.members.flatMap((node) =>
        this.sources.ts.isPropertyDeclaration(node) && node.name.getText() === property
          ? { file, statement, node }
          : [],
      ),
    )
    return found.length === 1 ? found[0] : undefined
  }

  /** The class at the top of its file, or all of its name in functions that return classes. */
  #classesOf(file: Source, name: string): ts.ClassDeclaration[] {
    const { ts } = this.sources
    const declared = file.declared.get(name)
    if (declared) return ts.isClassDeclaration(declared) ? [declared] : []
    const found: ts.ClassDeclaration[] = []
    this.sources.walk(file.node, (node) => {
      if (ts.isClassDeclaration(node) && node.name?.text === name) found.push(node)
    })
    return found
  }

  #entityOf({ file: path, name }: Place): Prepared['own'] | undefined {
    const file = this.sources.fileAt(path)
    const statement = file?.declared.get(name)
    return file && statement && this.sources.ts.isClassDeclaration(statement)
      ? { file, statement }
      : undefined
  }
}
