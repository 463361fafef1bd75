import type { Database } from '@snoflax/core'

import type { ReplacedColumn } from './adoption.js'
import type { StoredColumn } from './driver.js'
import type { Obstacles } from './obstacles.js'
import { lastOf } from './plan.js'
import { readSql, type SqlToken } from './read-sql.js'

/** Columns with replaced keys, and the number of the table whose keys they are; NaN, which equals nothing, if that isn't certain. */
export type Keys = ReadonlyMap<string, number>

export const UNCERTAIN = Number.NaN

/** A table or view as code sees it: names in lower case. */
export interface Relation {
  readonly columns: ReadonlySet<string>
  readonly keys: Keys
}

/** By names without schemas: those of one name in several schemas are one. */
export type Relations = Map<string, Relation>

export function addRelation(relations: Relations, name: string, columns: Iterable<string>, keys: Keys): void {
  const known = relations.get(name.toLowerCase())
  const merged = new Map(known?.keys)
  for (const [column, root] of keys) {
    const key = column.toLowerCase()
    merged.set(key, (merged.get(key) ?? root) === root ? root : UNCERTAIN)
  }
  const all = [...(known?.columns ?? []), ...columns].map((one) => one.toLowerCase())
  relations.set(name.toLowerCase(), { columns: new Set(all), keys: merged })
}

/** Tables and views by their names, before it is known what views do with keys. */
export function relationsOf(all: readonly StoredColumn[], replaced: readonly ReplacedColumn[]): Relations {
  const relations: Relations = new Map()
  for (const { table, column, isElsewhere } of all)
    if (!isElsewhere) addRelation(relations, lastOf(table), [column], new Map())
  for (const { table, column, root, via } of replaced)
    addRelation(relations, lastOf(table), [column], new Map([[column, via === undefined ? root : UNCERTAIN]]))
  return relations
}

export interface Code {
  /** Its name in the inventory. */
  readonly name: string
  /** The name of the view, or of the table that the expression is over; empty for a function. */
  readonly of: string
  readonly sql: string
}

/** Notes views that do more with keys than selecting them. Adds to the relations what views return. */
export function noteViews(
  views: readonly Code[],
  dialect: Database,
  relations: Relations,
  obstacles: Obstacles,
): void {
  const found = new Map<string, Use>()
  // Views in any order read each other, and what they return only grows.
  for (let size = -1; size < sizeOf(relations); ) {
    size = sizeOf(relations)
    for (const { name, of, sql } of views) {
      const use = useOf(sql, dialect, relations)
      if (!use.isConcerned) continue
      const columns = [...(relations.get(of.toLowerCase())?.columns ?? [])]
      const returned = use.returned ?? new Map(columns.map((column) => [column, UNCERTAIN]))
      addRelation(relations, of, [], returned)
      found.set(name, use)
    }
  }
  for (const [name, { problem }] of found) noteUse(name, problem, obstacles)
}

/** It grows with each key, and with each that is no longer certain. */
const sizeOf = (relations: Relations): number =>
  [...relations.values()].flatMap(({ keys }) => [
    ...keys.values(),
    ...[...keys.values()].filter(Number.isNaN),
  ]).length

/** Notes code that does more with keys than selecting them. */
export function noteUse(name: string, problem: string | undefined, obstacles: Obstacles): void {
  if (problem !== undefined)
    obstacles.ask(
      name,
      `it uses ${problem} otherwise than selecting it or comparing it with another new key; change it, or drop it and create it again after the switch`,
    )
  else if (!obstacles.isListed(name))
    obstacles.list(name, 'unaffected', 'it only selects keys and compares them')
}

/**
 * Notes code whose body is a text, if it may touch keys. What it means isn't guessed.
 *
 * @param own tables and views whose rows it gets without naming them.
 * @param rows what it calls them, beside `new` and `old`.
 */
export function noteBody(
  name: string,
  body: string,
  relations: Relations,
  obstacles: Obstacles,
  own: readonly string[] = [],
  rows: readonly string[] = [],
): void {
  const keys = own.flatMap((one) => [...(relations.get(one.toLowerCase())?.keys.keys() ?? [])])
  // The columns of a row have another order after the switch.
  const rest = body.replace(/\breturn\s+(new|old)\b/gi, '')
  const isWhole = ['new', 'old', ...rows].some((one) => wordOf(one, MEMBER).test(rest))
  const row = keys.length > 0 && isWhole ? 'the whole row' : undefined
  const found = keys.find((key) => mentions(body, key)) ?? row ?? mentionedIn(body, relations)
  if (found === undefined) obstacles.list(name, 'unaffected', 'it mentions no table with keys')
  else
    obstacles.ask(
      name,
      /^(execute|prepare)$/i.test(found)
        ? 'it runs SQL that it builds, which adopt cannot read; review it, drop it and create it again after the switch'
        : `it mentions ${found}, which has new keys; review it, drop it and create it again after the switch`,
    )
}

/** Whether a text contains a name as a word, ignoring case, perhaps in quotes. */
export const mentions = (text: string, name: string): boolean =>
  wordOf(name).test(text.replace(/(["`])\1/g, '$1'))

const wordOf = (name: string, unlessBefore = ''): RegExp =>
  new RegExp(`(?<![\\w$])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])${unlessBefore}`, 'i')

/** A member of a row, perhaps of one in brackets or of an array. */
const MEMBER = '(?!\\s*(?:\\[[^\\]]*\\])?\\s*\\)?\\s*\\.\\s*[\\w"`[$])'

/**
 * The first table or view with replaced keys that a body mentions, or name that all its columns have only for such keys,
 * or the word by which it runs SQL that it builds.
 */
export function mentionedIn(body: string, relations: Relations): string | undefined {
  const withKeys = [...relations].filter(([, { keys }]) => keys.size > 0)
  const others = new Set(
    [...relations.values()].flatMap(({ columns, keys }) => [...columns].filter((one) => !keys.has(one))),
  )
  return (
    withKeys.find(([name]) => mentions(body, name))?.[0] ??
    withKeys
      .flatMap(([, { keys }]) => [...keys.keys()])
      .find((key) => !others.has(key) && mentions(body, key)) ??
    /\b(execute(?! +(function|procedure)\b)|prepare)\b/i.exec(body)?.[0]
  )
}

/** What a view or an expression does with replaced keys. */
interface Use {
  /** Whether it mentions a table or view that has any. */
  readonly isConcerned: boolean
  /** What it does more than selecting, counting or comparing them with each other. */
  readonly problem: string | undefined
  /** The columns of a view that contain keys; undefined if that may be any. */
  readonly returned: Keys | undefined
}

/** SQL in which no use of a key is harmless, since it combines, names or stores rows otherwise. */
const REFUSED =
  /^(union|intersect|except|natural|with|insert|update|delete|merge|json_(each|tree)|pragma_\w+)$/
const SOURCES = /^(from|join|straight_join)$/
const CLAUSES = /^(select|from|join|straight_join|where|on|group|order|having|partition|limit)$/
const BEGIN = /^(select|on|where|and|or|not|having|when|[(,]|)$/
const END =
  /^(from|join|left|right|inner|cross|full|straight_join|using|where|on|and|or|as|then|group|order|having|limit|offset|window|[),;]|)$/
const ITEM = /^(select|distinct|all|by|,)$/
const NULL_TEST = /^(is (not )?null|notnull|isnull)\b/
const COMPARISON = /^(=|==|<>|!=|<=>|is (not )?distinct from|(not )?in \( select)(?= )/

/**
 * Reads a SELECT, or an expression over the table `own`: replaced keys may be selected, grouped, counted, tested for null
 * and compared with keys of the same table. Nothing else is understood.
 */
export function useOf(sql: string, dialect: Database, relations: Relations, own = ''): Use {
  const tokens = readSql(sql, { dialect })
  const statement = new Statement(tokens, relations, own.toLowerCase())
  const uses = [...tokens.keys()].filter((i) => statement.rootOf(i) !== undefined)
  const harmless = new Set(uses.flatMap((i) => statement.harmlessFrom(i)))
  const refused = uses.length > 0 ? tokens.findIndex((_, i) => statement.isRefused(i)) : -1
  const problem = tokens[uses.find((i) => !harmless.has(i)) ?? refused]?.text
  const selected = uses.flatMap((i) => statement.returnedBy(i))
  const returned = new Map(selected)
  const isNamed = returned.size === selected.length && !returned.has('*') && /^[^(]*\bselect\b/i.test(sql)
  const isSure = problem === undefined && isNamed
  return { isConcerned: statement.keys.size > 0, problem, returned: isSure ? returned : undefined }
}

interface Source {
  readonly names: readonly string[]
  /** Undefined for what isn't known. */
  readonly relation: Relation | undefined
  /** The parentheses of the SELECT that reads it; -1 for the whole. */
  readonly select: number
}

/** Which names of a statement are replaced keys, and what it does with them. */
class Statement {
  /** Names that may be keys. */
  readonly keys: Set<string>
  private readonly sources: Source[] = []
  private readonly aliases = new Set<string>()

  constructor(
    private readonly tokens: readonly SqlToken[],
    relations: Relations,
    own: string,
  ) {
    const mentioned = [own, ...tokens.map(nameOf)].flatMap((name) => relations.get(name) ?? [])
    this.keys = new Set(mentioned.flatMap(({ keys }) => [...keys.keys()]))
    if (own !== '')
      this.sources.push({ names: [own, 'new', 'old'], relation: relations.get(own), select: -1 })
    for (const i of tokens.keys()) {
      if (!this.isSource(i)) continue
      const names = [i, this.word(i + 1) === 'as' ? i + 2 : i + 1].map((one) => nameOf(tokens[one]))
      this.sources.push({ names, relation: relations.get(nameOf(tokens[i])), select: this.selectOf(i) })
    }
    for (const i of tokens.keys()) {
      if (this.word(i - 1) !== 'as') continue
      const alias = nameOf(tokens[i])
      if (this.keys.has(nameOf(tokens[i - 2]))) this.keys.add(alias)
      this.aliases.add(alias)
    }
  }

  /** The table whose key it is; undefined for what is no key. */
  rootOf(i: number): number | undefined {
    const token = this.tokens[i]
    const name = nameOf(token)
    const isStar = name === '*' && (token?.kind === 'name' || ITEM.test(this.word(i - 1)))
    if (!isStar && !(token?.kind === 'name' && this.keys.has(name))) return undefined
    if (this.word(i + 1) === '(' || this.word(i - 1) === 'as') return undefined
    const sources = this.sourcesOf(i, name)
    if (
      sources.length > 0 &&
      sources.every((one) => one && !(isStar ? one.keys.size > 0 : one.keys.has(name)))
    )
      return undefined
    if (token?.parts.length === 1 && this.aliases.has(name)) return UNCERTAIN
    const [root, ...others] = sources.map((one) => one?.keys.get(name) ?? UNCERTAIN)
    return root !== undefined && others.every((one) => one === root) ? root : UNCERTAIN
  }

  /** The keys that are harmless where they are: this one, and what it is compared with. */
  harmlessFrom(i: number): number[] {
    const root = this.rootOf(i)
    const after = [1, 2, 3, 4, 5].map((n) => this.word(i + n)).join(' ')
    // A row has other columns afterwards, and may have null in them.
    if (this.isBegin(i - 1) && nameOf(this.tokens[i]) !== '*') {
      if (NULL_TEST.test(after)) return [i]
      const operator = COMPARISON.exec(after)?.[0].split(' ') ?? []
      const other = i + 1 + operator.length
      if (operator.length > 0 && this.rootOf(other) === root && END.test(this.word(other + 1)))
        return [i, other]
    }
    const before = this.word(i - 1)
    const around = this.word((this.tokens[i]?.open ?? -1) - 1)
    if (around === 'count' && /^(\(|distinct)$/.test(before) && after.startsWith(')')) return [i]
    if (around === 'using' && !Number.isNaN(root)) return [i]
    if (!ITEM.test(before) || !END.test(this.word(i + 1))) return []
    const clause = this.wordBefore(i, CLAUSES)
    const isSelected = clause === 'select' && (this.tokens[i]?.open === -1 || around === 'exists')
    return isSelected || clause === 'group' || clause === 'partition' ? [i] : []
  }

  /** The column that a selected key is returned as. */
  returnedBy(i: number): [name: string, root: number][] {
    if (this.tokens[i]?.open !== -1 || this.wordBefore(i, CLAUSES) !== 'select') return []
    return [[nameOf(this.tokens[this.word(i + 1) === 'as' ? i + 2 : i]), this.rootOf(i) ?? UNCERTAIN]]
  }

  /** Whether no key may be used beside it, such as a SELECT or function in FROM, or the number of a column to sort by. */
  isRefused(i: number): boolean {
    if (this.tokens[i]?.kind === 'number')
      return ITEM.test(this.word(i - 1)) && this.wordBefore(i, CLAUSES) === 'order'
    if (this.isSource(i)) return this.word(i) === 'select' || this.word(i + 1) === '('
    return REFUSED.test(this.word(i)) && this.word(i + 1) !== 'time'
  }

  private word(i: number): string {
    return this.tokens[i]?.text.toLowerCase() ?? ''
  }

  /** The last of some words before a token, within its parentheses. */
  private wordBefore(i: number, words: RegExp): string {
    for (let at = i - 1; at >= 0; at--)
      if (this.tokens[at]?.open === this.tokens[i]?.open && words.test(this.word(at))) return this.word(at)
    return ''
  }

  /** Whether a condition may begin behind a token. */
  private isBegin(i: number): boolean {
    const isOfBetween = this.word(i) === 'and' && this.wordBefore(i, /^(and|between)$/) === 'between'
    return BEGIN.test(this.word(i)) && !isOfBetween
  }

  /** Where a column may be from: what its qualifier names, or the innermost SELECT that reads something with the column. */
  private sourcesOf(i: number, name: string): readonly (Relation | undefined)[] {
    const qualifier = this.tokens[i]?.parts.at(-2)?.toLowerCase()
    for (let select = this.selectOf(i); ; select = this.selectOf(select)) {
      const found = this.sources.filter(({ names, relation, select: of }) =>
        qualifier === undefined
          ? of === select && (name === '*' || (relation?.columns.has(name) ?? true))
          : names.includes(qualifier),
      )
      if (found.length > 0 || select < 0) return found.map(({ relation }) => relation)
    }
  }

  /** The parentheses of the SELECT around a token; -1 for the whole. */
  private selectOf(i: number): number {
    const open = this.tokens[i]?.open ?? -1
    return open < 0 || this.word(open + 1) === 'select' ? open : this.selectOf(open)
  }

  /** Whether something is read here: behind FROM, JOIN, or a comma of one of them. */
  private isSource(i: number): boolean {
    if (!/^(name|string)$/.test(this.tokens[i]?.kind ?? '')) return false
    let before = i - 1
    while (this.word(before) === '(') before--
    const word = this.word(before)
    if (word !== ',' && !SOURCES.test(word)) return false
    const clause = this.wordBefore(before, CLAUSES)
    if (word === ',') return clause === 'on' || SOURCES.test(clause)
    return word !== 'from' || (clause === 'select' && this.word(before - 1) !== 'distinct')
  }
}

const nameOf = (token: SqlToken | undefined): string =>
  (token?.parts.at(-1) ?? token?.text.replace(/^'|'$/g, '') ?? '').toLowerCase()
