import type { Findings, Passed } from '../findings.js'
import { NUMBERS } from '../findings.js'
import { storedBy } from '../generators.js'
import { STORED, type Stored } from '../shapes.js'
import { type Column, GENERATORS, type Link, type Tables } from './tables.js'

/** The key whose ids a column holds. Its kind is undefined if it was adopted before. */
export interface Fate {
  readonly key: Column
  readonly stored: Stored | undefined
}

const TEXTS = ['text', 'varchar', 'char']
const MADE_BY_POSTGRES = /^sql`\s*(?:gen_random_uuid|uuid_generate_v4|uuidv7)\(\)\s*`$/

export const isMadeByPostgres = ({ name, node }: Link): boolean =>
  name === 'defaultRandom' ||
  (name === 'default' && MADE_BY_POSTGRES.test(node.arguments[0]?.getText() ?? ''))

export const generatorOf = ({ chain }: Column): Link | undefined =>
  chain.find((link) => GENERATORS.includes(link.name) || isMadeByPostgres(link))

/** Decides for each column of the tables which ids it will hold, or leaves it. */
export class Fates {
  readonly #known = new Map<Column, Fate | undefined>()

  constructor(
    readonly tables: Tables,
    readonly findings: Findings,
    readonly passed: (column: Column) => readonly Passed[],
  ) {}

  leave({ root: { scope, node }, name, table, inTable }: Column, text: string): undefined {
    const { sources } = this.tables
    const place = inTable
      ? sources.placeOf(table.file, inTable, name)
      : sources.placeOf(scope.file, node, name)
    this.findings.leave(place, text)
  }

  of(column: Column): Fate | undefined {
    if (this.#known.has(column)) return this.#known.get(column)
    this.#known.set(column, undefined)
    const fate = column.isOurs ? { key: column, stored: undefined } : this.#decide(column)
    this.#known.set(column, fate)
    return fate
  }

  #decide(column: Column): Fate | undefined {
    const { tables, findings } = this
    const { root, name } = column
    const reference = tables.referenceOf(column)
    const target = tables.targetOf(column)
    const generator = generatorOf(column)
    const isBound = reference !== undefined || column.tied.size > 0
    if (isBound) findings.counts.references++
    if (reference && !target) {
      const text = `.references(${reference.node.arguments[0]?.getText()}) can't be read, or leads out of these files: in the last case write this one as flaxId.ref(name, target)`
      return void findings.unread.push({ ...tables.sources.placeOf(root.scope.file, root.node, name), text })
    }
    const related = isBound || generator || column.isPrimary ? [] : column.related
    const fates = [...(target ? [target] : []), ...column.tied, ...related].flatMap(
      (one) => this.of(one) ?? [],
    )
    const [first] = fates
    if (first) return this.#follow(column, first, fates)
    // A part of a key that nothing generates, such as a position, is no id.
    const isKey = generator
      ? column.isPrimary || column.isReferenced
      : column.chain.some(({ name }) => name === 'primaryKey')
    return isKey && !isBound ? this.#keep(column) : undefined
  }

  /** A column that refers to keys that become ids. */
  #follow(column: Column, first: Fate, fates: readonly Fate[]): Fate | undefined {
    const { key } = first
    const isSame = fates.every(
      (one) => one.key === key || (one.stored && one.stored.pattern === first.stored?.pattern),
    )
    if (!isSame)
      return this.leave(
        column,
        `refers to keys of several kinds: ${fates.map((one) => one.key.name).join(', ')}`,
      )
    if (generatorOf(column))
      return this.leave(column, `refers to ${key.name}, and generates keys itself: take one of both away`)
    if (!key.isOurs && (column.type === 'uuid') !== (key.type === 'uuid'))
      return this.leave(column, `has the type ${column.type}, and ${key.name} ${key.type}`)
    if (key.isOurs && !this.tables.referenceOf(column))
      return this.leave(
        column,
        `refers to ${key.name} without .references(): write it as .plain(…) with the same options`,
      )
    if (!TEXTS.includes(column.type) && column.type !== 'uuid') return undefined
    this.#ask(column, key)
    return first
  }

  /** A key. */
  #keep(column: Column): Fate | undefined {
    const { findings, tables } = this
    findings.counts.keys++
    const isUuid = column.type === 'uuid'
    if (!TEXTS.includes(column.type) && !isUuid) {
      const isNumber = /serial|int/i.test(column.type)
      return this.leave(column, isNumber ? NUMBERS : `a key of type ${column.type}: not text and not uuid`)
    }
    this.#ask(column, column)
    const generator = generatorOf(column)
    const [fn] = generator?.node.arguments ?? []
    const made =
      generator === undefined
        ? undefined
        : isUuid && isMadeByPostgres(generator)
          ? STORED.uuid()
          : fn && storedBy(tables.sources, { scope: generator.scope, node: fn })
    const stored = findings.storedIn({ name: column.name, made, isUuid, passed: this.passed(column) })
    return typeof stored === 'string' ? this.leave(column, stored) : { stored, key: column }
  }

  #ask({ name, table, key, root, type }: Column, target: Column): void {
    const { ts, followed } = this.tables.sources
    const [given] = root.node.arguments
    const literal = given && followed.call(this.tables.sources, { scope: root.scope, node: given }).node
    const column = literal && ts.isStringLiteralLike(literal) ? literal.text : key
    this.findings.asked.push({
      name,
      table: table.inDatabase,
      column,
      key: target.name,
      isUuid: type === 'uuid',
    })
  }
}
