/** Names, strings and comments as they are, so that commas and brackets in them mean nothing. */
const TOKEN =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[(),]|[^"'`[(),\-/]+|[\s\S]/g

/** A CREATE TABLE statement: what stands before the brackets, the definitions in them, and what follows. */
export interface TableSql {
  readonly head: string
  readonly definitions: readonly string[]
  readonly tail: string
}

export function parseTable(sql: string): TableSql {
  const parts = ['']
  let depth = 0
  let head = ''
  let tail = ''
  let closed = false
  for (const [token] of sql.matchAll(TOKEN)) {
    if (closed) tail += token
    else if (token === '(' && depth++ === 0) head = parts.splice(0, 1, '')[0] as string
    else if (token === ')' && --depth === 0) closed = true
    else if (token === ',' && depth === 1) parts.push('')
    else parts[parts.length - 1] += token
  }
  return { head, definitions: parts, tail }
}

const NAME = /^\s*(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|(\w+))/
const COLLATE = /\bCOLLATE\s+["'`[]?(\w+)["'`\]]?/i
const CONSTRAINTS = /^\s*(?:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b/i

const withoutComments = (sql: string): string =>
  sql.replace(TOKEN, (token) => (/^(?:--|\/\*)/.test(token) ? ' ' : token)).trim()

/** The name of the column that a definition defines, in lower case; undefined for a constraint of the table. */
export function definedName(definition: string): string | undefined {
  const bare = withoutComments(definition)
  if (CONSTRAINTS.test(bare)) return undefined
  const [, ...names] = NAME.exec(bare) ?? []
  return names.find((name) => name !== undefined)?.toLowerCase()
}

/** The collation of each column that states one, by its name in lower case. */
export function columnCollations(sql: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const definition of parseTable(sql).definitions) {
    const name = definedName(definition)
    const collation = COLLATE.exec(withoutLiterals(definition))?.[1]
    if (name !== undefined && collation !== undefined) found.set(name, collation.toUpperCase())
  }
  return found
}

/** The definition with another type after the column's name. */
export function withType(definition: string, declared: string, type: string): string {
  const bare = withoutComments(definition)
  const name = (NAME.exec(bare) as RegExpExecArray)[0]
  return name + bare.slice(name.length).replace(declared, () => type)
}

/** The definition with another collation in the place of its own. */
export function withCollation(definition: string, collation: string): string {
  const found = COLLATE.exec(withoutLiterals(definition)) as RegExpExecArray
  const end = found.index + found[0].length
  return `${definition.slice(0, found.index)}COLLATE ${collation}${definition.slice(end)}`
}

/** Strings and comments blanked, so that places stay. */
const withoutLiterals = (sql: string): string =>
  sql.replace(TOKEN, (token) => (/^(?:'|--|\/\*)/.test(token) ? ' '.repeat(token.length) : token))
