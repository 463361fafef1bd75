/** A function as the installer writes it. */
export interface RenderedFunction {
  /** Name and types of arguments, as to_regprocedure() takes them. */
  readonly signature: string
  readonly language: 'sql' | 'plpgsql'
  readonly volatility: 'i' | 's' | 'v'
  readonly isStrict: boolean
  readonly parallel: 's' | 'r' | 'u'
  readonly isDefiner: boolean
  readonly defaults: number
  readonly body: string
  /** Whether the server keeps the body as it was written, as it does what stands in dollars; else it keeps its meaning. */
  readonly isVerbatim: boolean
  /** The statement that brings it back. */
  readonly statement: string
}

const FUNCTION = /^CREATE OR REPLACE FUNCTION\s+([\w.]+)\s*\(/m
const BODY = /\bAS \$(\w*)\$([\s\S]*)\$\1\$|\bRETURN\b([\s\S]*)$|\b(BEGIN ATOMIC[\s\S]*)$/

/** The function that a statement makes; undefined if it makes none. */
export function renderedFunction(statement: string): RenderedFunction | undefined {
  const bare = withoutComments(statement)
  const start = FUNCTION.exec(bare)
  if (!start) return undefined
  const opened = start.index + start[0].length
  const closed = closingBracket(bare, opened)
  const rest = bare.slice(closed + 1)
  const body = BODY.exec(rest)
  const header = body ? rest.slice(0, body.index) : rest
  const verbatim = BODY.exec(statement)?.[2]
  const given = splitArguments(bare.slice(opened, closed)).filter((one) => !one.startsWith('OUT '))
  return {
    signature: `${start[1]}(${given.map(typeOf).join(', ')})`,
    language: /LANGUAGE plpgsql/i.test(header) ? 'plpgsql' : 'sql',
    volatility: /\bIMMUTABLE\b/.test(header) ? 'i' : /\bSTABLE\b/.test(header) ? 's' : 'v',
    isStrict: /\bSTRICT\b/.test(header),
    parallel: /PARALLEL SAFE/.test(header) ? 's' : /PARALLEL RESTRICTED/.test(header) ? 'r' : 'u',
    isDefiner: /SECURITY DEFINER/.test(header),
    defaults: given.filter((one) => /\bDEFAULT\b/.test(one)).length,
    body: verbatim ?? body?.[3] ?? body?.[4] ?? '',
    isVerbatim: verbatim !== undefined,
    statement,
  }
}

/** Outside of dollar-quoted bodies. */
function withoutComments(statement: string): string {
  const at = statement.search(/\bAS \$\w*\$/)
  const [head, tail] = at < 0 ? [statement, ''] : [statement.slice(0, at), statement.slice(at)]
  return head.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, '') + tail
}

function closingBracket(text: string, from: number): number {
  let depth = 1
  let at = from
  while (depth > 0) {
    const character = text[at++]
    if (character === '(') depth++
    if (character === ')') depth--
  }
  return at - 1
}

/** No argument's type or default has a comma of its own. */
const splitArguments = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** `at timestamptz DEFAULT …` → `timestamptz`. */
const typeOf = (argument: string): string =>
  argument.replace(/\s+DEFAULT\b[\s\S]*$/, '').replace(/^\S+\s+/, '')

/**
 * What does not change when a server writes out a SQL body in words of its own: numbers, except zeros, and the functions
 * of the schema that it calls.
 */
export function fingerprint(sql: string, schema: string): string {
  const words = withoutComments(sql).matchAll(
    new RegExp(`\\b${schema}"?\\."?(\\w+)|(?<![\\w.])0*([1-9]\\d*)`, 'g'),
  )
  return [...new Set([...words].map(([, name, number]) => name ?? number))].sort().join(' ')
}
