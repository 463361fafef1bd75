import type { Database } from '@snoflax/core'

import type { ReplacedColumn } from './adoption.js'
import type { StoredColumn } from './driver.js'
import type { Obstacles } from './obstacles.js'
import { lastOf } from './plan.js'
import { closingOf, isWord, readSql, type SqlToken } from './read-sql.js'

/** A table or view as code sees it: names in lower case. */
export interface Relation {
  readonly columns: ReadonlySet<string>
  /** The columns with replaced keys, and the table whose keys they are; undefined if that isn't certain. */
  readonly keys: Keys
}

type Keys = ReadonlyMap<string, number | undefined>

/** By names without schemas: those of one name in several schemas are one. */
export type Relations = Map<string, Relation>

export function addRelation(relations: Relations, name: string, columns: Iterable<string>, keys: Keys): void {
  const known = relations.get(name.toLowerCase())
  const lower = [...columns].map((one) => one.toLowerCase())
  const merged = new Map([...keys].map(([key, root]) => [key.toLowerCase(), root]))
  for (const [key, root] of known?.keys ?? [])
    merged.set(key, merged.has(key) && merged.get(key) !== root ? undefined : root)
  relations.set(name.toLowerCase(), { columns: new Set([...(known?.columns ?? []), ...lower]), keys: merged })
}

/** Tables and views by their names, before it is known what views do with keys. */
export function relationsOf(all: readonly StoredColumn[], replaced: readonly ReplacedColumn[]): Relations {
  const relations: Relations = new Map()
  for (const { table, column, isElsewhere } of all)
    if (!isElsewhere) addRelation(relations, lastOf(table), [column], new Map())
  for (const { table, column, root, via } of replaced)
    addRelation(relations, lastOf(table), [column], new Map([[column, via === undefined ? root : undefined]]))
  return relations
}

export interface View {
  /** Its name in the inventory, and in code. */
  readonly name: string
  readonly view: string
  readonly sql: string
}

/** Notes views that do more with keys than selecting them. Adds to the relations what views return. */
export function noteViews(
  views: readonly View[],
  dialect: Database,
  relations: Relations,
  obstacles: Obstacles,
): void {
  const found = new Map<string, Use>()
  for (let size = -1; size < sizeOf(relations); ) {
    size = sizeOf(relations)
    for (const { name, view, sql } of views) {
      const use = useOf(sql, dialect, relations)
      if (use.keys.size === 0) continue
      const { columns = new Set<string>() } = relations.get(view.toLowerCase()) ?? {}
      addRelation(relations, view, [], new Map([...use.keys].filter(([key]) => columns.has(key))))
      found.set(name, use)
    }
  }
  for (const [name, { problem }] of found) noteUse(name, problem, obstacles)
}

const sizeOf = (relations: Relations): number =>
  [...relations.values()].reduce((sum, { keys }) => sum + keys.size, 0)

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

/** Notes code whose body is a text, if it mentions a table or view with keys or builds SQL. */
export function noteBody(name: string, body: string, relations: Relations, obstacles: Obstacles): void {
  const found = mentionedIn(body, relations)
  if (found === undefined) obstacles.list(name, 'unaffected', 'it mentions no table with keys')
  else
    obstacles.ask(
      name,
      /^(execute|prepare)$/i.test(found)
        ? 'it runs SQL that it builds, which adopt cannot read; review it, drop it and create it again after the switch'
        : `it mentions ${found}, which has new keys; drop it, and create it again after the switch`,
    )
}

/** Whether a text contains a name as a word, ignoring case, perhaps in quotes. */
export const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(text)

/** The first table or view with replaced keys that a body mentions, or the word by which it runs SQL that it builds. */
export const mentionedIn = (body: string, relations: Relations): string | undefined =>
  [...relations].find(([name, { keys }]) => keys.size > 0 && mentions(body, name))?.[0] ??
  /\b(execute(?! +(function|procedure)\b)|prepare)\b/i.exec(body)?.[0]

/** What a view or an expression does with replaced keys. */
export interface Use {
  /** What it does more than selecting, counting or comparing them with each other. */
  readonly problem: string | undefined
  /** Names that may contain keys. */
  readonly keys: Keys
}

/**
 * Reads a SELECT, or an expression over the table `own`: replaced keys may be selected, grouped, counted, tested for null and
 * compared with keys of the same table. Nothing else is understood.
 */
export function useOf(sql: string, dialect: Database, relations: Relations, own?: string): Use {
  const tokens = readSql(sql, { dialect })
  const scope = new Scope(tokens, relations, own)
  const numbers = [...tokens.keys()]
  const uses = numbers.filter((i) => scope.isUse(i))
  const problem =
    uses.find((i) => !isHarmless(tokens, i, scope)) ??
    numbers.find((i) => scope.isRow(i)) ??
    (uses.length > 0 || scope.hasStar ? numbers.find((i) => isWord(tokens[i], ...COMBINED)) : undefined)
  return { problem: tokens[problem ?? -1]?.text, keys: scope.keys }
}

const COMBINED = ['UNION', 'INTERSECT', 'EXCEPT', 'NATURAL']
const CLAUSES = [
  'SELECT',
  'FROM',
  'JOIN',
  'WHERE',
  'ON',
  'GROUP',
  'ORDER',
  'HAVING',
  'PARTITION',
  'SET',
  'LIMIT',
]
const AROUND_JOINS = ['LEFT', 'RIGHT', 'INNER', 'CROSS', 'FULL', 'STRAIGHT_JOIN', 'USING']
const ENDS = [...CLAUSES, ...AROUND_JOINS, 'AND', 'OR', 'AS', 'WINDOW', 'OFFSET', 'FETCH', 'WITH']

const isEnd = (token: SqlToken | undefined): boolean =>
  token === undefined || /^[),;]$/.test(token.text) || isWord(token, ...ENDS)

const isBegin = (token: SqlToken | undefined): boolean =>
  token === undefined ||
  token.text === '(' ||
  isWord(token, 'ON', 'WHERE', 'AND', 'OR', 'NOT', 'HAVING', 'WHEN')

/** The last clause before a token, within its parentheses. */
const clauseOf = (tokens: readonly SqlToken[], i: number): SqlToken | undefined =>
  tokens
    .slice(0, i)
    .reverse()
    .find((token) => token.open === tokens[i]?.open && isWord(token, ...CLAUSES))

const EQUALS = /^(=|==|<>|!=|<=>)$/

function isHarmless(tokens: readonly SqlToken[], i: number, scope: Scope): boolean {
  const open = tokens[i]?.open ?? -1
  const [before, after, second, third] = [tokens[i - 1], ...tokens.slice(i + 1, i + 4)]
  const outer = tokens[open - 1]
  if (isWord(after, 'NOTNULL', 'ISNULL')) return true
  if (isWord(after, 'IS')) {
    const test = isWord(second, 'NOT') ? i + 3 : i + 2
    return isWord(tokens[test], 'NULL') || (isWord(tokens[test], 'DISTINCT') && scope.isSame(i, test + 2))
  }
  if (isWord(before, 'FROM') && isWord(tokens[i - 2], 'DISTINCT')) {
    const test = isWord(tokens[i - 3], 'NOT') ? i - 4 : i - 3
    return isWord(tokens[test], 'IS') && scope.isSame(i, test - 1) && isEnd(after)
  }
  if (EQUALS.test(after?.text ?? '')) return scope.isSame(i, i + 2) && isBegin(before) && isEnd(third)
  if (EQUALS.test(before?.text ?? '')) return scope.isSame(i, i - 2) && isBegin(tokens[i - 3]) && isEnd(after)
  const list = isWord(after, 'NOT') ? i + 2 : i + 1
  if (isWord(tokens[list], 'IN')) return isWord(tokens[list + 2], 'SELECT') && scope.isSame(i, list + 3)
  if (isWord(outer, 'COUNT'))
    return after?.text === ')' && (before?.text === '(' || isWord(before, 'DISTINCT'))
  if (isWord(outer, 'USING')) return scope.isSame(i, i)
  const clause = clauseOf(tokens, i)
  return (
    (before?.text === ',' || isWord(before, 'SELECT', 'DISTINCT', 'ALL', 'BY')) &&
    isEnd(after) &&
    (isWord(clause, 'GROUP', 'PARTITION') || (isWord(clause, 'SELECT') && isTable(tokens, i, scope)))
  )
}

/** Whether the SELECT of a key, if it is in parentheses, is used as a table, or after IN or EXISTS. */
function isTable(tokens: readonly SqlToken[], i: number, scope: Scope): boolean {
  const open = tokens[i]?.open ?? -1
  if (open < 0) return true
  const before = tokens[open - 1]
  if (isWord(before, 'IN')) return scope.isSame(i, isWord(tokens[open - 2], 'NOT') ? open - 3 : open - 2)
  if (before?.text === ',') return isWord(clauseOf(tokens, open), 'FROM', 'JOIN')
  return before?.text === '(' || isWord(before, 'FROM', 'JOIN', 'EXISTS', 'AS', 'LATERAL', 'MATERIALIZED')
}

/** Which names of a statement are replaced keys. */
class Scope {
  readonly keys = new Map<string, number | undefined>()
  readonly hasStar: boolean
  /** By alias or name: the tables that it may be; undefined for a SELECT in parentheses. */
  private readonly tables = new Map<string, (Relation | undefined)[]>()
  /** The tables that it reads, each with the SELECT that does. */
  private readonly sources: (readonly [relation: Relation, select: number])[] = []
  /** Names that other values get. */
  private readonly renamed = new Set<string>()

  constructor(
    private readonly tokens: readonly SqlToken[],
    relations: Relations,
    own: string | undefined,
  ) {
    const relation = relations.get(own?.toLowerCase() ?? '')
    if (own !== undefined && relation) {
      this.sources.push([relation, -1])
      for (const name of [own.toLowerCase(), 'new', 'old']) this.addTable(name, relation)
    }
    for (const [i, token] of tokens.entries()) {
      const relation = token.kind === 'name' ? relations.get(nameOf(token)) : undefined
      if (relation && this.isSource(i)) {
        this.sources.push([relation, this.selectOf(i)])
        this.addTable(nameOf(token), relation)
        this.addAlias(i + 1, relation)
      } else if (token.text === ')') this.addAlias(i + 1, undefined)
      else if (isWord(tokens[i + 1], 'AS') && tokens[i + 2]?.text === '(')
        this.addTable(nameOf(token), undefined)
    }
    for (const [{ keys }] of this.sources) for (const [key, root] of keys) this.keys.set(key, root)
    this.hasStar = tokens.some(
      ({ text }, i) => text.endsWith('*') && !(text === '*' && tokens[i - 1]?.text === '('),
    )
    for (let size = -1; size < this.keys.size; ) {
      size = this.keys.size
      for (const i of tokens.keys()) this.readNames(i)
    }
  }

  /** Whether it is, or may be, a replaced key. */
  isUse(i: number): boolean {
    const token = this.tokens[i]
    if (token?.kind !== 'name' || this.tokens[i + 1]?.text === '(' || isWord(this.tokens[i - 1], 'AS'))
      return false
    const name = nameOf(token)
    if (!this.keys.has(name)) return false
    const relations = this.relationsOf(i)
    return relations.length === 0 || relations.some((one) => one === undefined || one.keys.has(name))
  }

  /** Whether both are certainly keys of the same table. */
  isSame(i: number, other: number): boolean {
    const root = this.rootOf(i)
    return root !== undefined && root === this.rootOf(other)
  }

  /** Whether it is a table's whole row. */
  isRow(i: number): boolean {
    const token = this.tokens[i]
    if (token?.kind !== 'name' || token.parts.length !== 1 || this.tokens[i + 1]?.text === '(') return false
    const isTable = this.tables.get(nameOf(token))?.some((one) => one && one.keys.size > 0)
    if (!isTable || this.sources.some(([{ columns }]) => columns.has(nameOf(token)))) return false
    return !isWord(this.tokens[i - 1], 'AS', ...AROUND_JOINS) && !this.isSource(i) && !this.isSource(i - 1)
  }

  private rootOf(i: number): number | undefined {
    const token = this.tokens[i]
    if (token === undefined || !this.isUse(i)) return undefined
    if (token.parts.length === 1 && this.renamed.has(nameOf(token))) return undefined
    const name = nameOf(token)
    const roots = new Set(this.relationsOf(i).map((one) => one?.keys.get(name)))
    return roots.size === 1 ? [...roots][0] : undefined
  }

  /** The tables that a column may be of: those of its qualifier, or of the innermost SELECT that reads one with the column. */
  private relationsOf(i: number): (Relation | undefined)[] {
    const token = this.tokens[i] as SqlToken
    const qualifier = token.parts.at(-2)?.toLowerCase()
    if (qualifier !== undefined) return this.tables.get(qualifier) ?? [undefined]
    for (let select = this.selectOf(i); ; select = this.selectOf(select)) {
      const found = this.sources.filter(([one, of]) => of === select && one.columns.has(nameOf(token)))
      if (found.length > 0 || select < 0) return found.map(([one]) => one)
    }
  }

  /** The parentheses of the SELECT around a token; -1 for the whole. */
  private selectOf(i: number): number {
    const open = this.tokens[i]?.open ?? -1
    return open < 0 || isWord(this.tokens[open + 1], 'SELECT', 'WITH') ? open : this.selectOf(open)
  }

  /** Whether a name is where a table is. */
  private isSource(i: number): boolean {
    const [before, after] = [this.tokens[i - 1], this.tokens[i + 1]]
    if (isWord(before, 'INTO', 'UPDATE')) return true
    if (this.tokens[i]?.kind !== 'name' || after?.text === '(' || isWord(before, 'AS')) return false
    const clause = clauseOf(this.tokens, i)
    if (isWord(clause, 'FROM', 'JOIN')) return true
    return (clause === undefined && before?.text === '(') || (isWord(clause, 'ON') && before?.text === ',')
  }

  /** Names that keys and other values get by AS, or by a list of columns. */
  private readNames(i: number): void {
    const [token, next] = [this.tokens[i], this.tokens[i + 1]]
    if (isWord(token, 'AS') && next?.kind === 'name') {
      const isInside = this.tokens[i - 1]?.text === ')' && this.holdsUse(i - 1)
      if (!this.isUse(i - 1) && !isInside) this.renamed.add(nameOf(next))
      else if (!this.keys.has(nameOf(next))) this.keys.set(nameOf(next), this.rootOf(i - 1))
    }
    if (token?.text !== '(' || this.tokens[i - 1]?.kind !== 'name' || this.keys.size === 0) return
    const close = closingOf(this.tokens, i)
    if (!isWord(this.tokens[close + 1], 'AS')) return
    if (this.tokens[close + 2]?.text !== '(' && !isWord(this.tokens[close + 2], 'NOT', 'MATERIALIZED')) return
    for (const one of this.tokens.slice(i + 1, close))
      if (one.kind === 'name') this.keys.set(nameOf(one), undefined)
  }

  private addAlias(i: number, relation: Relation | undefined): void {
    const alias = this.tokens[isWord(this.tokens[i], 'AS') ? i + 1 : i]
    if (alias?.kind === 'name' && !isWord(alias, ...ENDS, ...COMBINED)) this.addTable(nameOf(alias), relation)
  }

  private addTable(name: string, relation: Relation | undefined): void {
    this.tables.set(name, [...(this.tables.get(name) ?? []), relation])
  }

  /** Whether the parentheses that end here contain a key. */
  private holdsUse(close: number): boolean {
    const from = [...this.tokens.keys()].find(
      (i) => this.tokens[i]?.text === '(' && closingOf(this.tokens, i) === close,
    )
    return this.tokens.slice(from, close).some((_, i) => this.isUse((from ?? 0) + i))
  }
}

const nameOf = ({ parts }: SqlToken): string => (parts.at(-1) ?? '').toLowerCase()
