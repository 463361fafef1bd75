import { sep } from 'node:path'
import type ts from 'typescript'
import type { Column, Tables } from './drizzle/tables.js'
import type { Passed } from './findings.js'
import { storedAs, storedBy } from './generators.js'
import type { Model } from './prisma.js'
import { escaped, STORED, type Stored } from './shapes.js'
import type { Found, Source, Sources } from './sources.js'

/** Files of tests, whose keys are no rows of yours. */
const TESTS =
  /(?:^|\/)(?:__tests__|__mocks__|tests?|e2e|spec|fixtures)\/|[.-](?:test|spec|e2e-spec)\.[cm]?tsx?$/

/** Models whose keys better-auth makes, singular and without `_`, and those of its plugins. */
const BETTER_AUTH = /^(?:user|session|account|verification|ratelimit)$/
const OF_PLUGINS =
  /^(?:organization|member|invitation|team|teammember|twofactor|passkey|apikey|jwks|deviceflow|devicecode|ssoprovider|subscription|walletaddress|oauthapplication|oauthaccesstoken|oauthconsent)$/

const singular = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/(?<=[a-z]{2})s$/, '')

/** Collects where keys are passed, by what stands for a key. */
class Passes<Key> {
  readonly by = new Map<Key, Passed[]>()
  readonly #files: readonly Source[]

  constructor(readonly sources: Sources) {
    const paths = sources.all.map(({ path }) => path.split(sep))
    // Folders above all files say nothing of them.
    const above = (paths[0] ?? []).findIndex((part, at) =>
      paths.some((path) => path[at] !== part || !path[at + 1]),
    )
    this.#files = sources.all.filter((_, n) => !TESTS.test((paths[n] ?? []).slice(above).join('/')))
  }

  add(key: Key, file: Source, node: ts.Node, stored: Stored | string): void {
    const text = node.getText().replace(/\s+/g, ' ').slice(0, 60)
    const found = { ...this.sources.placeOf(file, node, ''), text }
    const known = typeof stored === 'string' ? {} : { stored }
    this.by.set(key, [...(this.by.get(key) ?? []), { ...found, ...known }])
  }

  /** The values of a key in objects that are inserted. */
  addFrom(objects: readonly Found<ts.ObjectLiteralExpression>[], name: string, key: Key): void {
    for (const { scope, node } of objects) {
      const given = this.sources.member(node, name)
      if (!given || given.getText() === 'undefined') continue
      const value = this.sources.localOf(given)
      const read = storedAs(this.sources, { scope, node: value })
      this.add(
        key,
        scope.file,
        value,
        this.sources.ts.isStringLiteralLike(value) ? literal(value.text) : read,
      )
    }
  }

  /** The calls of all files but tests. */
  calls(visit: (file: Source, call: ts.CallExpression) => void): void {
    for (const file of this.#files)
      this.sources.walk(file.node, (node) => {
        if (this.sources.ts.isCallExpression(node)) visit(file, node)
      })
  }

  /** The keys that better-auth makes: of models whose name it has. */
  addBetterAuth(modelsNamed: (isOne: (name: string) => boolean) => Iterable<Key>): void {
    const { sources } = this
    this.calls((file, call) => {
      const scope = sources.scopeOf(file)
      const [options] = call.arguments
      if (!options || call.expression.getText() !== 'betterAuth') return
      const made = this.#betterAuthKeys({ scope, node: options })
      if (made === undefined) return
      const isOne = (name: string): boolean =>
        BETTER_AUTH.test(singular(name)) ||
        (/plugins/.test(options.getText()) && OF_PLUGINS.test(singular(name)))
      for (const key of modelsNamed(isOne)) this.add(key, file, call.expression, made)
    })
  }

  /** Undefined if the column's own default makes them. */
  #betterAuthKeys(options: Found): Stored | string | undefined {
    const { sources } = this
    const { ts } = sources
    const within = (found: Found | undefined, name: string): Found | undefined => {
      const { scope, node } = found ? sources.followed(found) : {}
      const member = scope && node && ts.isObjectLiteralExpression(node) && sources.member(node, name)
      return member ? { scope, node: member } : undefined
    }
    const advanced = within(options, 'advanced')
    const generate = within(within(advanced, 'database'), 'generateId') ?? within(advanced, 'generateId')
    if (!generate) return STORED.betterAuth()
    const { node } = sources.followed(generate)
    if (node.kind === ts.SyntaxKind.FalseKeyword || /betterAuthIds/.test(node.getText())) return undefined
    if (ts.isStringLiteralLike(node)) return node.text === 'uuid' ? STORED.uuid() : node.text
    return storedBy(sources, generate)
  }
}

const literal = (text: string): Stored => ({
  kind: `'${text}'`,
  pattern: escaped(text),
  sample: text,
})

/** `insert(users).values({ id })`, better-auth, and adapters of other packages that get a table. */
export function passedToDrizzle(tables: Tables): ReadonlyMap<Column, readonly Passed[]> {
  const { sources } = tables
  const { ts } = sources
  const passes = new Passes<Column>(sources)
  passes.calls((file, call) => {
    const scope = sources.scopeOf(file)
    const callee = call.expression
    const from = sources.exportOf(scope, callee)
    if (from && /Adapter$/.test(from.name) && !/better-auth|^@auth\//.test(from.module)) {
      for (const given of call.arguments)
        for (const column of tables.tableOf({ scope, node: given })?.columns.values() ?? [])
          if (column.isPrimary) passes.add(column, file, callee, from.name)
    }
    if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== 'values') return
    const insert = sources.bare(callee.expression)
    const isInsert =
      ts.isCallExpression(insert) &&
      ts.isPropertyAccessExpression(insert.expression) &&
      insert.expression.name.text === 'insert'
    const [target] = isInsert ? insert.arguments : []
    const table = target && tables.tableOf({ scope, node: target })
    const objects = table ? call.arguments.flatMap((node) => sources.objectsIn({ scope, node })) : []
    for (const column of table?.columns.values() ?? []) {
      if (column.isPrimary && !tables.referenceOf(column)) passes.addFrom(objects, column.key, column)
    }
  })
  passes.addBetterAuth((isOne) =>
    tables.all
      .filter(({ name, inDatabase }) => isOne(name) || isOne(inDatabase))
      .flatMap(({ columns }) => [...columns.values()].filter(({ isPrimary }) => isPrimary)),
  )
  return passes.by
}

const REPOSITORY = /getRepository\(\s*(\w+)/
const CREATES = /^(?:create|createMany|createManyAndReturn|upsert)$/

/** `prisma.user.create({ data: { id, posts: { create: { id } } } })`, and better-auth. By `User.id`. */
export function passedToPrisma(
  sources: Sources,
  models: readonly Model[],
): ReadonlyMap<string, readonly Passed[]> {
  const { ts } = sources
  const passes = new Passes<string>(sources)
  const named = (name: string) =>
    models.find(
      (model) => model.name === name || model.name.replace(/^./, (one) => one.toLowerCase()) === name,
    )
  const inserted = (model: Model, found: Found): void => {
    const objects = sources.objectsIn(found)
    for (const { name, isId } of model.fields)
      if (isId) passes.addFrom(objects, name, `${model.name}.${name}`)
    for (const { scope, node } of objects)
      for (const { name, kind, type } of model.fields) {
        const value = kind === 'object' ? sources.member(node, name) : undefined
        const target = value && named(type)
        if (value && target) created(target, { scope, node: value })
      }
  }
  /** `create`, `data` and what stands in them, at any depth. */
  const created = (model: Model, found: Found): void => {
    for (const { scope, node } of sources.objectsIn(found))
      for (const part of ['create', 'data', 'createMany', 'connectOrCreate', 'upsert']) {
        const value = sources.member(node, part)
        if (value && /^(?:create|data)$/.test(part)) inserted(model, { scope, node: value })
        else if (value) created(model, { scope, node: value })
      }
  }
  passes.calls((file, { expression, arguments: [given] }) => {
    if (!given || !ts.isPropertyAccessExpression(expression) || !CREATES.test(expression.name.text)) return
    const owner = expression.expression
    const model = ts.isPropertyAccessExpression(owner) && named(owner.name.text)
    if (model) created(model, { scope: sources.scopeOf(file), node: given })
  })
  passes.addBetterAuth((isOne) =>
    models
      .filter(({ name }) => isOne(name))
      .flatMap(({ name, fields }) => fields.flatMap((field) => (field.isId ? `${name}.${field.name}` : []))),
  )
  return passes.by
}

/** `repository.save({ id })`, `manager.insert(User, { id })`, and better-auth. By `User.id`, or the class that it extends. */
export function passedToTypeorm(
  sources: Sources,
  /** Names of the keys of each entity. */
  keys: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly Passed[]> {
  const { ts } = sources
  const passes = new Passes<string>(sources)
  const repositories = new Map<Source, Map<string, string>>()
  for (const file of sources.all) {
    const own = new Map<string, string>()
    repositories.set(file, own)
    sources.walk(file.node, (node) => {
      const isTyped = ts.isPropertyDeclaration(node) || ts.isParameter(node) || ts.isVariableDeclaration(node)
      if (!isTyped) return
      const [, entity] =
        /Repository<\s*(\w+)\s*>$/.exec(node.type?.getText() ?? '') ??
        REPOSITORY.exec(node.initializer?.getText() ?? '') ??
        []
      if (entity) own.set(node.name.getText(), entity)
    })
  }
  passes.calls((file, { expression, arguments: given }) => {
    if (!ts.isPropertyAccessExpression(expression)) return
    if (!/^(?:save|insert|create|upsert)$/.test(expression.name.text)) return
    const owner = sources.bare(expression.expression)
    const [, of] = REPOSITORY.exec(owner.getText()) ?? []
    const name = ts.isPropertyAccessExpression(owner) ? owner.name.text : owner.getText()
    const [first, second] = given
    const typed = repositories.get(file)?.get(name)
    const entity = of ?? typed ?? (first && keys.has(first.getText()) ? first.getText() : undefined)
    const value = of || typed ? first : second
    if (!entity || !value) return
    const objects = sources.objectsIn({ scope: sources.scopeOf(file), node: value })
    for (const key of keys.get(entity) ?? []) passes.addFrom(objects, key.slice(key.indexOf('.') + 1), key)
  })
  passes.addBetterAuth((isOne) => [...keys].flatMap(([name, own]) => (isOne(name) ? own : [])))
  return passes.by
}
