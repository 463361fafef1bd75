import type ts from 'typescript'
import type { Findings, Place } from '../findings.js'
import type { Found, Source, Sources } from '../sources.js'

export interface Decorated {
  readonly name: string
  readonly node: ts.Decorator
  readonly given: readonly Found[]
  readonly options: ts.ObjectLiteralExpression | undefined
}

export interface Member<Node extends ts.ClassElement = ts.ClassElement> {
  readonly node: Node
  readonly by: ReadonlyMap<string, Decorated>
}

export interface Entity {
  readonly file: Source
  readonly node: ts.ClassDeclaration
  readonly name: string
  /** As the database has it; undefined for a class that others extend. */
  readonly table: string | undefined
  readonly members: readonly Member[]
  readonly properties: readonly Member<ts.PropertyDeclaration>[]
  /** The class that it extends: null for one that isn't in the files. */
  readonly parent: ts.ClassDeclaration | null | undefined
}

/** A relation that stores another entity's key. */
export interface Joined {
  readonly property: ts.PropertyDeclaration
  readonly column: string
  readonly target: string
  /** `Base.id`, if it is in the files. */
  readonly key: string | undefined
}

const RELATIONS = ['ManyToOne', 'OneToOne', 'ManyToMany', 'OneToMany']
/** What a column of ours has among its decorators. */
export const OURS = '@snoflax/typeorm'

export const isRelation = ({ by }: Member): boolean => RELATIONS.some((one) => by.has(one))

/** The classes of TypeORM in the files. */
export class Entities {
  readonly all: Entity[] = []

  constructor(
    readonly sources: Sources,
    readonly findings: Findings,
  ) {
    const { ts } = sources
    for (const file of sources.all)
      sources.walk(file.node, (node) => {
        if (ts.isClassDeclaration(node)) this.#readClass(file, node)
      })
  }

  place({ file, name }: Entity, node: ts.PropertyDeclaration): Place {
    return this.sources.placeOf(file, node.name, `${name}.${node.name.getText()}`)
  }

  named(name: string): Entity | undefined {
    return this.all.find((one) => one.name === name)
  }

  /** The class and those that it extends. */
  *lineOf(entity: Entity): Generator<Entity> {
    const seen = new Set<Entity>()
    for (let at: Entity | undefined = entity; at && !seen.has(at); ) {
      seen.add(at)
      yield at
      const { parent }: Entity = at
      at = this.all.find((one) => one.node === parent)
    }
  }

  /** The tables that have the columns of a class: its own, or those of the classes that extend it. */
  tablesOf(entity: Entity): string[] {
    return this.all.flatMap((one) => (one.table && [...this.lineOf(one)].includes(entity) ? one.table : []))
  }

  keysOf({ properties }: Entity): Member<ts.PropertyDeclaration>[] {
    return properties.filter(({ by }) => by.has('PrimaryColumn') || by.has('PrimaryGeneratedColumn'))
  }

  /** The keys of an entity by their properties, and their names, such as `Base.id`. */
  keysIn(target: string): { readonly property: string; readonly name: string }[] {
    const entity = this.named(target)
    return [...(entity ? this.lineOf(entity) : [])].flatMap((own) =>
      this.keysOf(own).map(({ node }) => ({
        property: node.name.getText(),
        name: this.place(own, node).name,
      })),
    )
  }

  /** Relations that store keys in columns of this class. */
  *joinsOf({ properties }: Entity): Generator<Joined & { readonly isTable: boolean }> {
    for (const { node, by } of properties) {
      const relation = RELATIONS.map((one) => by.get(one)).find(Boolean)
      const [leads] = relation?.given ?? []
      if (relation === undefined || leads === undefined) continue
      const target = (this.sources.resultOf(leads) ?? leads).node.getText()
      const join = by.get('JoinColumn')
      if (relation.name === 'ManyToOne' || join) {
        const list = join?.given[0]?.node
        const columns =
          list && this.sources.ts.isArrayLiteralExpression(list) ? [...list.elements] : [join?.options]
        for (const one of columns) {
          const [name, referenced] = ['name', 'referencedColumnName'].map((option) => {
            const given =
              one && this.sources.ts.isObjectLiteralExpression(one) && this.sources.member(one, option)
            return given ? this.textOf(given) : undefined
          })
          const keys = this.keysIn(target).filter(({ property }) => property === (referenced ?? property))
          const own = node.name.getText()
          for (const key of keys.length > 0 ? keys : [{ property: referenced ?? 'id', name: undefined }]) {
            const column = name ?? own + key.property.replace(/^./, (first) => first.toUpperCase())
            yield { property: node, column, target, key: key.name, isTable: false }
          }
        }
      } else if (by.has('JoinTable'))
        yield { property: node, column: '', target, key: undefined, isTable: true }
    }
  }

  textOf(node: ts.Expression): string {
    return this.sources.ts.isStringLiteralLike(node) ? node.text : node.getText()
  }

  #readClass(file: Source, node: ts.ClassDeclaration): void {
    const { ts } = this.sources
    const members = node.members.map((one) => ({ node: one, by: this.#decorationsOf(file, one) }))
    const properties = members.filter(
      (one): one is Member<ts.PropertyDeclaration> => ts.isPropertyDeclaration(one.node) && one.by.size > 0,
    )
    const own = this.#decorationsOf(file, node).get('Entity')
    if (properties.length === 0 && !own) return
    const name = node.name?.text ?? 'default'
    const extended = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
      ?.types[0]
    const scope = this.sources.scopeOf(file)
    const parent = extended && this.sources.declarationOf(scope, extended.expression)?.node
    const isTypeorms = extended && this.sources.exportOf(scope, extended.expression)?.module === 'typeorm'
    this.all.push({
      file,
      node,
      name,
      table: own && this.#tableOf(name, own),
      members,
      properties,
      parent: parent && ts.isClassDeclaration(parent) ? parent : extended && !isTypeorms ? null : undefined,
    })
    if (own) this.findings.counts.tables++
  }

  #tableOf(name: string, { given: [first], options }: Decorated): string {
    const given = (options && this.sources.member(options, 'name')) ?? first?.node
    return given && this.sources.ts.isStringLiteralLike(given) ? given.text : name
  }

  #decorationsOf(file: Source, node: ts.Node): ReadonlyMap<string, Decorated> {
    const { ts } = this.sources
    const by = new Map<string, Decorated>()
    for (const one of ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : []) {
      if (!ts.isCallExpression(one.expression)) continue
      for (const { scope, node: call } of this.#callsOf({
        scope: this.sources.scopeOf(file),
        node: one.expression,
      })) {
        const origin = this.sources.exportOf(scope, call.expression)
        if (origin?.module.startsWith(OURS))
          by.set(OURS, { name: OURS, node: one, given: [], options: undefined })
        if (origin?.module !== 'typeorm') continue
        this.findings.read(scope.file.path, call.getStart())
        const given = call.arguments.map((arg) => ({ scope, node: arg }))
        const options = given
          .map((arg) => this.sources.followed(arg).node)
          .find((arg): arg is ts.ObjectLiteralExpression => ts.isObjectLiteralExpression(arg))
        by.set(origin.name, { name: origin.name, node: one, given, options })
      }
    }
    return by
  }

  /** The call of a decorator, or those that a decorator of the application consists of. */
  #callsOf(found: Found<ts.CallExpression>): Found<ts.CallExpression>[] {
    const { ts } = this.sources
    const result = this.sources.returnedBy(found.scope, found.node)
    if (!result || ts.isIdentifier(result.node)) return [found]
    const { scope, node: made } = result
    const isSeveral =
      ts.isCallExpression(made) && /^(?:applyDecorators|compose)$/.test(made.expression.getText())
    const parts: ts.Node[] = isSeveral ? [...made.arguments] : [made]
    // A decorator that calls others: PrimaryColumn()(target, property).
    if (ts.isArrowFunction(made) || ts.isFunctionExpression(made))
      this.sources.walk(made.body, (one) => {
        if (ts.isCallExpression(one)) parts.push(one.expression)
      })
    return parts.flatMap((node) => (ts.isCallExpression(node) ? this.#callsOf({ scope, node }) : []))
  }
}
