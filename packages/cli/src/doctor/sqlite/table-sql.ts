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

const LEADING_COMMENTS = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/

/** The name of the column that a definition defines, in lower case; undefined for a constraint of the table. */
export function definedName(definition: string): string | undefined {
  const bare = definition.replace(LEADING_COMMENTS, '')
  if (CONSTRAINTS.test(bare)) return undefined
  const [, ...names] = NAME.exec(bare) ?? []
  return names.find((name) => name !== undefined)?.toLowerCase()
}

/** The collation of each column that states one, by its name in lower case. */
export function columnCollations(sql: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const definition of parseTable(sql).definitions) {
    const name = definedName(definition)
    const collation = COLLATE.exec(definition)?.[1]
    if (name !== undefined && collation !== undefined) found.set(name, collation.toUpperCase())
  }
  return found
}

/** The definition with another type after the column's name. */
export function withType(definition: string, declared: string, type: string): string {
  const bare = definition.replace(LEADING_COMMENTS, '')
  const name = (NAME.exec(bare) as RegExpExecArray)[0]
  return name + bare.slice(name.length).replace(declared, () => type)
}
