import type ts from 'typescript'
import { type Findings, NUMBERS, STORED, TAKEN } from './findings.js'
import type { Export, Source, Sources } from './sources.js'

interface Decorated {
  readonly name: string
  readonly node: ts.Decorator
  readonly given: readonly ts.Expression[]
  readonly options: ts.ObjectLiteralExpression | undefined
}

type Decorations = ReadonlyMap<string, Decorated>

interface Member {
  readonly node: ts.ClassElement
  readonly by: Decorations
}

/** Options that our columns have too, and those that only say what the column stored. */
const SHARED = ['name', 'comment', 'primaryKeyConstraintName', 'nullable', 'unique', 'select']
const OF_TYPE = ['type', 'length', 'width', 'generated', 'primary']
const RELATIONS = ['ManyToOne', 'OneToOne', 'ManyToMany', 'OneToMany']

/** Finds the keys and relations of TypeORM's entities, and the edits that make the keys id columns. */
export const adoptTypeorm = (sources: Sources, findings: Findings): boolean =>
  sources.all.map((file) => adoptFile(sources, findings, file)).includes(true)

function adoptFile(sources: Sources, findings: Findings, file: Source): boolean {
  const { ts } = sources
  /** Names of @snoflax/typeorm that the file needs. */
  const imports = new Set<string>()
  let found = false

  const leadsTo = (node: ts.Node): string | undefined => {
    const origin = sources.originOf(file, node)
    return origin && 'module' in origin && origin.module === 'typeorm' ? origin.name : undefined
  }

  const decorationsOf = (node: ts.Node): Decorations => {
    const by = new Map<string, Decorated>()
    for (const one of ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : []) {
      const call = one.expression
      const name = ts.isCallExpression(call) ? leadsTo(call.expression) : undefined
      if (name === undefined) continue
      const given = (call as ts.CallExpression).arguments
      by.set(name, { name, node: one, given, options: given.find(ts.isObjectLiteralExpression) })
    }
    return by
  }

  const adoptEntity = (entity: ts.ClassDeclaration): void => {
    const members = entity.members.map((node) => ({ node, by: decorationsOf(node) }))
    const properties = members.flatMap(({ node, by }) =>
      ts.isPropertyDeclaration(node) && by.size > 0 ? [{ node, by }] : [],
    )
    if (properties.length > 0) found = true
    const joined = new Map<string, string>()
    const place = (node: ts.PropertyDeclaration) =>
      sources.placeOf(file, node.name, `${entity.name?.text}.${node.name.getText()}`)
    for (const { node, by } of properties) {
      const relation = RELATIONS.map((one) => by.get(one)).find(Boolean)
      const target =
        relation?.given[0] && (sources.resultOf(relation.given[0]) ?? relation.given[0]).getText()
      if (relation === undefined || target === undefined) continue
      const join = by.get('JoinColumn')
      if (relation.name === 'ManyToOne' || join) {
        const list = join?.given[0]
        const columns = list && ts.isArrayLiteralExpression(list) ? [...list.elements] : [join?.options]
        for (const one of columns) {
          const name = one && ts.isObjectLiteralExpression(one) ? sources.member(one, 'name') : undefined
          joined.set(name ? textOf(ts, name) : `${node.name.getText()}Id`, target)
        }
        findings.references.push({ ...place(node), text: `${target}, whose key it takes` })
      } else if (by.has('JoinTable'))
        findings.references.push({
          ...place(node),
          text: `${target}, by a junction table that takes both keys`,
        })
    }
    const keys = properties.filter(({ by }) => by.has('PrimaryColumn') || by.has('PrimaryGeneratedColumn'))
    for (const { node, by } of properties) {
      const key = by.get('PrimaryGeneratedColumn') ?? by.get('PrimaryColumn')
      const column = key ?? by.get('Column')
      if (!column || RELATIONS.some((one) => by.has(one))) continue
      const name = column.options && sources.member(column.options, 'name')
      const target =
        joined.get(name ? textOf(ts, name) : node.name.getText()) ?? joined.get(node.name.getText())
      if (target) findings.references.push({ ...place(node), text: `${target}, whose key it takes` })
      else if (key) adoptKey(node, key, by.get('Generated'), members, keys.length === 1, place(node))
    }
  }

  const adoptKey = (
    node: ts.PropertyDeclaration,
    key: Decorated,
    generated: Decorated | undefined,
    members: readonly Member[],
    isAlone: boolean,
    place: ReturnType<Sources['placeOf']>,
  ): undefined => {
    const leave = (text: string): undefined => findings.leave(place, text)
    const isUuidText = (one: ts.Node | undefined): boolean =>
      one !== undefined && ts.isStringLiteralLike(one) && one.text === 'uuid'
    const type = key.options && sources.member(key.options, 'type')
    const strategy = (key.name === 'PrimaryGeneratedColumn' ? key : generated)?.given[0]
    const isGenerated = isUuidText(strategy)
    const stated = type ?? key.given.find(ts.isStringLiteralLike)
    // @Generated('uuid') also fills a column of text.
    const isUuid = isUuidText(stated)
    const isNumber =
      key.name === 'PrimaryGeneratedColumn' || /^(?:number|bigint)$/.test(node.type?.getText() ?? '')
    if (!isUuid && isAlone && isNumber) return leave(NUMBERS)
    const setter = setterOf(sources, members, node)
    if (!isAlone && !setter && !isGenerated) return undefined
    const read = isGenerated ? STORED.uuid() : setter && sources.storedAs(file, setter.value)
    const stored = findings.storedIn(place.name, read, isUuid)
    if (typeof stored === 'string') return leave(stored)
    const nameOf = (one: ts.ObjectLiteralElementLike): string => one.name?.getText() ?? ''
    const others = (key.options?.properties ?? []).filter((one) => !OF_TYPE.includes(nameOf(one)))
    const strange = others.find((one) => !SHARED.includes(nameOf(one)))
    if (strange) return leave(`${strange.getText()} is no option of an id column`)
    const options = [
      ...others.map((one) => one.getText()),
      ...findings.optionsFor(stored, !isUuid, false),
    ].join(', ')
    const name = isUuid ? 'IdColumn' : 'FlaxIdColumn'
    const family: Export[] = isUuid ? [['uuid7', '@snoflax/families']] : []
    const taken = sources.takenIn(file, [[name, '@snoflax/typeorm'], ...family])
    if (taken) return leave(`${taken} ${TAKEN}`)
    imports.add(name)
    findings.keys.push({ ...place, text: `${stored.kind}, then ${isUuid ? 'uuid7' : 'flax'}` })
    const text = isUuid ? `@IdColumn(uuid7, { ${options} })` : `@FlaxIdColumn({ ${options} })`
    findings.edit(
      file.path,
      { start: key.node.getStart(), end: key.node.end, text },
      ...(generated ? [{ start: generated.node.getFullStart(), end: generated.node.end, text: '' }] : []),
      ...(setter?.removals ?? []),
    )
    if (node.initializer)
      findings.next.add(
        'new entities have no id until they are saved, where their property had a value from the beginning: set it where code reads it before',
      )
    if (!isUuid)
      findings.next.add(
        'PostgreSQL: the text keys need COLLATE "C", so that new ids sort by time: npx typeorm migration:generate writes it',
      )
  }

  sources.walk(file.node, (node) => {
    if (ts.isClassDeclaration(node)) adoptEntity(node)
    if (!ts.isNewExpression(node) || leadsTo(node.expression) !== 'EntitySchema') return
    found = true
    findings.leave(
      sources.placeOf(file, node, 'EntitySchema'),
      'write its key as idColumn(flax, { accept, branded: false })',
    )
  })
  if (imports.size > 0) {
    const families = imports.has('IdColumn') ? [['@snoflax/families', new Set(['uuid7'])] as const] : []
    const wanted = new Map([['@snoflax/typeorm', imports], ...families])
    findings.edit(file.path, ...sources.importing(file, wanted, [], findings.edits.get(file.path) ?? []))
  }
  return found
}

const textOf = (ts: Sources['ts'], node: ts.Expression): string =>
  ts.isStringLiteralLike(node) ? node.text : node.getText()

/** What the class itself generates a key with: a property's initializer, or statements of @BeforeInsert. */
function setterOf(
  sources: Sources,
  members: readonly Member[],
  { name, initializer, type }: ts.PropertyDeclaration,
) {
  const { ts } = sources
  if (initializer) {
    return {
      value: initializer,
      removals: [{ start: name.end, end: initializer.end, text: `!: ${type?.getText() ?? 'string'}` }],
    }
  }
  const isOwn = (one: ts.Node) => one.getText() === `this.${name.getText()}`
  const assignedBy = (statement: ts.Statement): ts.Expression | undefined => {
    if (ts.isBlock(statement))
      return statement.statements.length === 1
        ? assignedBy(statement.statements[0] as ts.Statement)
        : undefined
    if (ts.isIfStatement(statement))
      return statement.elseStatement ? undefined : assignedBy(statement.thenStatement)
    if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) return undefined
    const { left, right } = statement.expression
    if (!isOwn(left)) return undefined
    return ts.isBinaryExpression(right) && isOwn(right.left) ? right.right : right
  }
  const statements = members.flatMap(({ node, by }) => {
    if (!by.has('BeforeInsert') || !ts.isMethodDeclaration(node)) return []
    const all = node.body?.statements ?? []
    return all.flatMap((statement) => {
      const value = assignedBy(statement)
      if (!value) return []
      const isAlone = all.length === 1 && !isNamedElsewhere(sources, node.name)
      return [{ value, gone: isAlone ? node : statement }]
    })
  })
  const [first] = statements
  const removals = statements.map(({ gone }) => ({ start: gone.getFullStart(), end: gone.end, text: '' }))
  return first && { value: first.value, removals }
}

function isNamedElsewhere(sources: Sources, name: ts.PropertyName): boolean {
  const text = name.getText()
  return sources.all.some((file) => {
    let found = false
    sources.walk(file.node, (node) => {
      found ||=
        node !== name &&
        (sources.ts.isIdentifier(node) || sources.ts.isStringLiteralLike(node)) &&
        node.text === text
    })
    return found
  })
}
