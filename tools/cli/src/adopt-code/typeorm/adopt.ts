import type ts from 'typescript'
import { type Findings, isSecret, NUMBERS, type Passed, type Place, TAKEN } from '../findings.js'
import { storedAs } from '../generators.js'
import { type Export, importing, takenIn } from '../imports.js'
import { passedToTypeorm } from '../passed.js'
import { STORED, type Stored } from '../shapes.js'
import type { Found, Source, Sources } from '../sources.js'
import { type Decorated, Entities, type Entity, isRelation, type Member, OURS } from './entities.js'
import { setterOf } from './setter.js'

/** Options that our columns have too, and those that only say what the column stored. */
const SHARED = ['name', 'comment', 'primaryKeyConstraintName', 'nullable', 'unique', 'select']
const OF_TYPE = ['type', 'length', 'width', 'generated', 'primary']

/** Finds the keys and relations of TypeORM's entities, and the edits that make the keys id columns. */
export function adoptTypeorm(sources: Sources, findings: Findings): boolean {
  const entities = new Entities(sources, findings)
  const keys = new Map(entities.all.map(({ name: of }) => [of, entities.keysIn(of).map(({ name }) => name)]))
  const adopter = new Adopter(entities, findings, passedToTypeorm(sources, keys))
  for (const entity of entities.all) adopter.adopt(entity)
  adopter.writeImports()
  const schemas = leaveSchemas(sources, findings)
  listUnread(entities, findings)
  return entities.all.length > 0 || schemas > 0
}

function leaveSchemas(sources: Sources, findings: Findings): number {
  let count = 0
  for (const file of sources.all)
    sources.walk(file.node, (node) => {
      if (!sources.ts.isNewExpression(node)) return
      const origin = sources.exportOf(sources.scopeOf(file), node.expression)
      if (origin?.module !== 'typeorm' || origin.name !== 'EntitySchema') return
      count++
      findings.counts.tables++
      findings.counts.keys++
      findings.leave(
        sources.placeOf(file, node, 'EntitySchema'),
        'write its key as idColumn(flax, { accept, branded: false })',
      )
    })
  return count
}

/** Keys that belong to no entity that was read, and entities without a key that was read. */
function listUnread(entities: Entities, findings: Findings): void {
  const { sources } = entities
  const { ts } = sources
  for (const entity of entities.all) {
    const line = [...entities.lineOf(entity)]
    const isKeyed = line.some(({ properties }) =>
      properties.some(({ by }) =>
        ['PrimaryColumn', 'PrimaryGeneratedColumn', 'ObjectIdColumn', OURS].some((one) => by.has(one)),
      ),
    )
    if (!entity.table || isKeyed) continue
    const place = sources.placeOf(entity.file, entity.node.name ?? entity.node, entity.name)
    const leads = line.some(({ parent }) => parent === null) ? ', or one that leads out of these files' : ''
    findings.unread.push({ ...place, text: `no key was found in it${leads}` })
  }
  for (const file of sources.all)
    sources.walk(file.node, (node) => {
      if (!ts.isCallExpression(node) || findings.isRead(file.path, node.getStart())) return
      const origin = sources.exportOf(sources.scopeOf(file), node.expression)
      if (origin?.module !== 'typeorm' || !/^Primary(?:Generated)?Column$/.test(origin.name)) return
      const place = sources.placeOf(file, node, origin.name)
      findings.unread.push({ ...place, text: 'belongs to no entity that was read' })
    })
}

class Adopter {
  readonly #imports = new Map<Source, Export[]>()

  constructor(
    readonly entities: Entities,
    readonly findings: Findings,
    readonly passed: ReadonlyMap<string, readonly Passed[]>,
  ) {}

  adopt(entity: Entity): void {
    const { entities } = this
    const joined = new Map<string, string>()
    const told = new Set<ts.Node>()
    for (const { property, column, target, key, isTable } of entities.joinsOf(entity)) {
      const text = isTable
        ? `${target}, by a junction table that takes both keys`
        : `${target}, whose key it takes`
      // A foreign key of several columns is one.
      if (!told.has(property)) this.#follow(entities.place(entity, property), text)
      told.add(property)
      if (isTable) continue
      joined.set(column, target)
      this.#ask(entity, property, column, key)
    }
    const keys = entities.keysOf(entity)
    for (const member of entity.properties) {
      const { node, by } = member
      const key = by.get('PrimaryGeneratedColumn') ?? by.get('PrimaryColumn')
      const column = key ?? by.get('Column')
      if (!column || isRelation(member)) continue
      const name = column.options && entities.sources.member(column.options, 'name')
      const place = entities.place(entity, node)
      const target =
        joined.get(name ? entities.textOf(name) : node.name.getText()) ?? joined.get(node.name.getText())
      if (target) this.#follow(place, `${target}, whose key it takes`)
      else if (key) this.#adoptKey(entity, member, key, keys.length === 1, place)
    }
  }

  #follow(place: Place, text: string): void {
    this.findings.counts.references++
    this.findings.references.push({ ...place, text })
  }

  writeImports(): void {
    for (const [file, wanted] of this.#imports) {
      const edits = this.findings.edits.get(file.path) ?? []
      this.findings.edit(file.path, ...importing(this.entities.sources, file, wanted, [], edits))
    }
  }

  #ask(
    entity: Entity,
    node: ts.PropertyDeclaration,
    column: string,
    key: string | undefined,
    isUuid = false,
  ): void {
    const { name } = this.entities.place(entity, node)
    for (const table of key ? this.entities.tablesOf(entity) : [])
      this.findings.asked.push({ name, table, column, key: key as string, isUuid })
  }

  #adoptKey(
    entity: Entity,
    member: Member<ts.PropertyDeclaration>,
    key: Decorated,
    isAlone: boolean,
    place: Place,
  ): undefined {
    const { findings, entities } = this
    const { sources } = entities
    const { node, by } = member
    const leave = (text: string): undefined => findings.leave(place, text)
    const isUuidText = (one: ts.Node | undefined): boolean =>
      one !== undefined && sources.ts.isStringLiteralLike(one) && one.text === 'uuid'
    const given = key.given.map((one) => sources.followed(one).node)
    const strategy = key.name === 'PrimaryGeneratedColumn' ? given[0] : by.get('Generated')?.given[0]?.node
    const isGenerated = isUuidText(strategy)
    const stated =
      (key.options && sources.member(key.options, 'type')) ?? given.find(sources.ts.isStringLiteralLike)
    // @Generated('uuid') also fills a column of text.
    const isUuid = isUuidText(stated)
    const isNumber =
      key.name === 'PrimaryGeneratedColumn' || /^(?:number|bigint)$/.test(node.type?.getText() ?? '')
    const setter = setterOf(sources, entity.members, node)
    if (!isAlone && !setter && !isGenerated) return undefined
    findings.counts.keys++
    if (!isUuid && isAlone && isNumber) return leave(NUMBERS)
    const name = key.options && sources.member(key.options, 'name')
    this.#ask(entity, node, name ? entities.textOf(name) : node.name.getText(), place.name, isUuid)
    const value: Found | undefined = setter && { scope: sources.scopeOf(entity.file), node: setter.value }
    const made = isGenerated ? STORED.uuid() : value && storedAs(sources, value)
    const passed = this.passed.get(place.name) ?? []
    const stored = findings.storedIn({ name: place.name, made, isUuid, passed })
    if (typeof stored === 'string') return leave(stored)
    if (!this.#write(entity, key, stored, isUuid, place)) return
    for (const other of entities.all)
      if (other !== entity && isSecret(other.name) && [...entities.lineOf(other)].includes(entity))
        findings.notes.push({
          ...place,
          text: `is the key of ${other.name} too, whose keys may be secrets, which ids are not`,
        })
    const generated = by.get('Generated')?.node
    findings.edit(
      entity.file.path,
      ...(generated && generated !== key.node
        ? [{ start: generated.getFullStart(), end: generated.end, text: '' }]
        : []),
      ...(setter?.removals ?? []),
    )
    this.#tellNext(isUuid, node.initializer !== undefined)
  }

  /** Replaces the decorator of a key; false if something is left to do. */
  #write({ file }: Entity, key: Decorated, stored: Stored, isUuid: boolean, place: Place): boolean {
    const { findings } = this
    const nameOf = (one: ts.ObjectLiteralElementLike): string => one.name?.getText() ?? ''
    const others = (key.options?.properties ?? []).filter((one) => !OF_TYPE.includes(nameOf(one)))
    const strange = others.find((one) => !SHARED.includes(nameOf(one)))
    const name = isUuid ? 'IdColumn' : 'FlaxIdColumn'
    const wanted: Export[] = [[name, OURS], ...(isUuid ? [['uuid7', '@snoflax/core'] as const] : [])]
    const taken = takenIn(file, wanted)
    const problem = strange
      ? `${strange.getText()} is no option of an id column`
      : taken && `${taken} ${TAKEN}`
    if (problem) {
      findings.leave(place, problem)
      return false
    }
    this.#imports.set(file, [...(this.#imports.get(file) ?? []), ...wanted])
    findings.adopt(place, stored, isUuid)
    const kept = others.map((one) => one.getText())
    const options = [...kept, ...findings.optionsFor(stored, !isUuid, false)].join(', ')
    const text = isUuid ? `@IdColumn(uuid7, { ${options} })` : `@FlaxIdColumn({ ${options} })`
    findings.edit(file.path, { start: key.node.getStart(), end: key.node.end, text })
    return true
  }

  #tellNext(isUuid: boolean, isInitialized: boolean): void {
    const { next } = this.findings
    if (isInitialized)
      next.add(
        'new entities have no id until they are saved, where their property had a value from the beginning: set it where code reads it before',
      )
    if (!isUuid)
      next.add(
        'PostgreSQL: the text keys need COLLATE "C", so that new ids sort by time: npx typeorm migration:generate writes it',
      )
    next.add('run your formatter')
  }
}
