/** Quoted strings, dollar-quoted bodies and comments: a semicolon inside them ends nothing. */
const TOKEN = /\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|;/g

/** The statements of an SQL script, without their semicolons. For tools that run one statement at a time. */
export function statements(script: string): string[] {
  const found: string[] = []
  let start = 0
  for (const token of script.matchAll(TOKEN)) {
    if (token[0] !== ';') continue
    found.push(script.slice(start, token.index).trim())
    start = token.index + 1
  }
  return [...found, script.slice(start).trim()].filter(hasCode)
}

const hasCode = (statement: string): boolean => statement.replace(/--[^\n]*/g, '').trim() !== ''
