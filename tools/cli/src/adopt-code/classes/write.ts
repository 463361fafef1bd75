import type ts from 'typescript'
import type { Definitions } from '../definitions.js'
import type { Export } from '../imports.js'
import type { Facts } from '../load/facts.js'
import type { KeyPlan, Named } from '../plan.js'
import type { Source, Sources } from '../sources.js'
import { type Change, Unwritable, type Writer } from '../written.js'
import { generatorOf } from './generator.js'

/** An option of a column, as it stands in the source. */
export interface Option {
  readonly name: string
  /** `comment: 'who'` */
  readonly text: string
  readonly value?: ts.Expression | undefined
}

/** An ORM's decorators of keys, and what is written in their place. */
export interface Dialect {
  /** Where they are imported from. */
  readonly module: RegExp
  readonly decorators: RegExp
  /** A decorator by which the ORM generates ids. */
  readonly refused?: string
  /** Options that the facts say again. */
  readonly ofType: readonly string[]
  /** The option with a function that generates ids. */
  readonly option?: string
  readonly imported: Export
  /** The decorator. @throws {Unwritable} for an option that id columns don't have */
  write(old: string, definition: string, options: readonly Option[], key: KeyPlan): string
  /** The value of a property that hides one of a base class, if it needs one. */
  again?(definition: string): string
}

/** What generates the ids that the database or the ORM does. */
export const UUIDS = '() => crypto.randomUUID()'

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
  readonly name: string
  readonly options: readonly Option[]
  /** The expression that generates it, or with the ORM's option the function. */
  readonly expression: string | undefined
  readonly generate: string
}

/** Writes keys of decorated classes as columns of ids. Foreign keys follow them by themselves. */
export class ClassWriter implements Writer {
  /** Decorators of base classes that have been removed. */
  readonly #removed = new Set<ts.Decorator>()

  constructor(
    readonly sources: Sources,
    readonly definitions: Definitions,
    readonly tables: Facts['tables'],
    readonly keys: readonly KeyPlan[],
    readonly dialect: Dialect,
  ) {}

  lineOf(one: Named): number | undefined {
    const found = this.#find(one)
    return found && this.sources.lineOf(found.file, found.node.name)
  }

  /** @throws {Unwritable} */
  writeKey(key: KeyPlan): Change {
    const prepared = this.#prepare(key)
    const { own, found, decorator, name: old, options, generate } = prepared
    const { file, statement } = own
    const isInherited = statement !== found.statement
    if (isInherited) this.#checkHeirs(key, found)
    this.definitions.import(file, this.dialect.imported)
    const { name } = this.definitions.define(key, file, statement, generate)
    const text = this.dialect.write(old, name, options, key)
    if (isInherited) this.#declareAgain(prepared, text, name, old)
    else this.definitions.edit(file, { start: decorator.getStart(), end: decorator.end, text })
    const line = this.sources.lineOf(file, isInherited ? statement : found.node.name)
    return { file: file.path, line, text: `opaque, ${key.by}` }
  }

  #prepare(key: KeyPlan): Prepared {
    const found = this.#find(key)
    const own = this.#entityOf(key)
    if (!found || !own)
      throw new Unwritable(
        `its property in class ${key.column.place?.name ?? key.table.places[0]?.name} can't be found: declare it by hand`,
      )
    const { file, node, statement } = found
    const decorated = this.#decoratorOf(file, node)
    const option = decorated.options.find(({ name }) => name === this.dialect.option)
    const generator = option?.value ?? generatorOf(this.sources, statement, node)
    const text =
      generator &&
      this.definitions.textOf({ scope: this.sources.scopeAround(file, node), node: generator }, own.file)
    if (text === undefined && !key.column.isUuidGenerated)
      throw new Unwritable(
        "what generates it isn't a statement of its class that can stand beside its entity: declare it by hand, with opaque(…)",
      )
    const generate = key.column.isUuidGenerated ? UUIDS : option?.value ? (text as string) : `() => ${text}`
    return {
      own,
      found,
      expression: text,
      generate,
      ...decorated,
      options: decorated.options.filter((one) => one !== option),
    }
  }

  /** A definition has one table, so a key of a base class is declared in all of its entities, or in none. */
  #checkHeirs({ column: { key } }: KeyPlan, found: Property): void {
    const isSame = (one: Pick<Named, 'column' | 'table'>): boolean =>
      one.column.key === key && this.#find(one)?.node === found.node
    const heirs = this.keys.filter(isSame)
    for (const table of this.tables)
      for (const column of table.columns)
        if (!heirs.some((one) => one.column === column) && isSame({ table, column }))
          throw new Unwritable(
            `its class ${found.statement.name?.text} is that of ${table.name}, too, which stays as it is: declare it by hand`,
          )
    for (const heir of heirs) this.#prepare(heir)
  }

  #declareAgain(
    { own, found: { file: base, node }, decorator, expression }: Prepared,
    text: string,
    name: string,
    old: string,
  ): void {
    const { file, statement } = own
    const module = base.imports.get(old)?.module
    if (module !== undefined && text.startsWith(`@${old}(`)) this.definitions.import(file, [old, module])
    const at = statement.members.pos
    const isOneLine = !file.node.text.slice(at, statement.end).includes('\n')
    const value = node.initializer ? expression : this.dialect.again?.(name)
    const types: Export[] = []
    const scope = this.sources.scopeAround(base, node)
    const type = (node.type && this.sources.textIn({ scope, node: node.type }, file, types)) ?? 'string'
    this.definitions.import(file, ...types.map(([one, from]): Export => [`type ${one}`, from]))
    const declared = value === undefined ? `!: ${type}` : `: ${type} = ${value}`
    const property = `${text} override ${node.name.getText()}${declared}`
    this.definitions.edit(file, { start: at, end: at, text: isOneLine ? ` ${property};` : `\n  ${property}` })
    if (this.#removed.has(decorator)) return
    this.#removed.add(decorator)
    const start = decorator.getStart()
    const space = /^\s*/.exec(base.node.text.slice(decorator.end))?.[0].length ?? 0
    this.definitions.edit(base, { start, end: decorator.end + space, text: '' })
  }

  writeReference(): undefined {}

  #decoratorOf(file: Source, node: ts.PropertyDeclaration): Pick<Prepared, 'decorator' | 'name' | 'options'> {
    const { ts } = this.sources
    const { module, decorators, refused, imported, ofType } = this.dialect
    const all = ts.getDecorators(node) ?? []
    const named = (one: ts.Decorator): string | undefined => {
      const call = one.expression
      if (!ts.isCallExpression(call)) return undefined
      const origin = this.sources.exportOf(this.sources.scopeOf(file), call.expression)
      return origin && module.test(origin.module) ? origin.name : undefined
    }
    const decorator = all.find((one) => decorators.test(named(one) ?? ''))
    if (!decorator)
      throw new Unwritable(`a decorator of your own declares it: declare it by hand, with ${imported[0]}(…)`)
    if (all.some((one) => refused !== undefined && named(one) === refused))
      throw new Unwritable(`@${refused} generates its ids: declare it by hand, with ${imported[0]}(…)`)
    const call = decorator.expression as ts.CallExpression
    const object = call.arguments.find(ts.isObjectLiteralExpression)
    if (call.arguments.some((one) => one !== object && !ts.isStringLiteralLike(one)))
      throw new Unwritable('the options of its decorator stand elsewhere: declare it by hand')
    const options = (object?.properties ?? []).map((one): Option => {
      const name = one.name?.getText() ?? ''
      return { name, text: one.getText(), value: object && this.sources.member(object, name) }
    })
    const own = options.filter(({ name }) => !ofType.includes(name))
    return { decorator, name: call.expression.getText(), options: own }
  }

  /** The property, in the class of its entity or one that this extends; that of a relation for its column. */
  #find({ column: { key, place }, table }: Pick<Named, 'column' | 'table'>): Property | undefined {
    const { ts } = this.sources
    const [property] = key.split('.')
    const file = place?.file ? this.sources.fileAt(place.file) : undefined
    const entity = this.#entityOf({ table })
    let classes = file && place ? this.#classesOf(file, place.name) : entity ? [entity] : []
    // No class extends as many others as this, but one that extends itself.
    for (let depth = 0; classes.length > 0 && depth < 24; depth++) {
      const found = classes.flatMap((one) =>
        one.statement.members.flatMap((node) =>
          ts.isPropertyDeclaration(node) && node.name.getText() === property ? { ...one, node } : [],
        ),
      )
      if (found.length > 0) return found.length === 1 ? found[0] : undefined
      classes = classes.flatMap((one) => this.#extendedBy(one) ?? [])
    }
    return undefined
  }

  /** The class at the top of its file, or all of its name in functions that return classes. */
  #classesOf(file: Source, name: string): Prepared['own'][] {
    const { ts } = this.sources
    const declared = file.declared.get(name)
    if (declared) return ts.isClassDeclaration(declared) ? [{ file, statement: declared }] : []
    const found: Prepared['own'][] = []
    this.sources.walk(file.node, (node) => {
      if (ts.isClassDeclaration(node) && node.name?.text === name) found.push({ file, statement: node })
    })
    return found
  }

  #extendedBy({ file, statement }: Prepared['own']): Prepared['own'] | undefined {
    const { ts } = this.sources
    const [clause] = (statement.heritageClauses ?? []).filter(
      ({ token }) => token === ts.SyntaxKind.ExtendsKeyword,
    )
    const [base] = clause?.types ?? []
    const found = base && this.sources.declarationOf(this.sources.scopeOf(file), base.expression)
    return found && ts.isClassDeclaration(found.node)
      ? { file: found.scope.file, statement: found.node }
      : undefined
  }

  /** The class of an entity, in the first module of its places that declares it. */
  #entityOf({ table }: Pick<Named, 'table'>): Prepared['own'] | undefined {
    const declared = table.places.flatMap(({ file, name }) => {
      const source = this.sources.placed({ file, name })
      return source?.declared.has(name) ? this.#classesOf(source, name) : []
    })
    return declared[0]
  }
}
