import { bracketed, type Statement, splitList, withoutComments } from './statement.js'

/** A function as the installer writes it. */
export interface FunctionStatement extends Statement {
  readonly name: string
  readonly arguments: readonly Argument[]
  readonly result: Result
  readonly language: 'sql' | 'plpgsql'
  readonly volatility: 'i' | 's' | 'v'
  readonly strict: boolean
  readonly parallel: 's' | 'r' | 'u'
  readonly definer: boolean
  /** Settings, as pg_proc has them. */
  readonly settings: readonly string[]
  readonly body: string
  /** Whether the server keeps the body as it was written, as it does what stands in dollars; else it keeps its meaning. */
  readonly isVerbatim: boolean
}

export interface Argument {
  readonly name: string
  readonly type: string
  readonly isOut: boolean
  readonly defaultSql: string | undefined
}

export interface Result {
  readonly isSet: boolean
  readonly type: string
}

const FUNCTION = /^CREATE OR REPLACE FUNCTION\s+([\w.]+)\s*(?=\()/
const BODY = /\bAS \$(\w*)\$([\s\S]*)\$\1\$|\bRETURN\b([\s\S]*)$/

/** The function that a statement makes; undefined if it makes none. */
export function functionOf(statement: Statement): FunctionStatement | undefined {
  const start = FUNCTION.exec(statement.sql)
  if (!start) return undefined
  const { content, end } = bracketed(statement.sql, start[0].length)
  const rest = statement.sql.slice(end)
  const body = BODY.exec(rest)
  const header = withoutComments(rest.slice(0, body?.index))
  return {
    ...statement,
    name: start[1] as string,
    arguments: splitList(withoutComments(content)).map(argumentOf),
    result: resultOf(header),
    language: /LANGUAGE plpgsql/.test(header) ? 'plpgsql' : 'sql',
    volatility: /\bIMMUTABLE\b/.test(header) ? 'i' : /\bSTABLE\b/.test(header) ? 's' : 'v',
    strict: /\bSTRICT\b/.test(header),
    parallel: /PARALLEL SAFE/.test(header) ? 's' : /PARALLEL RESTRICTED/.test(header) ? 'r' : 'u',
    definer: /SECURITY DEFINER/.test(header),
    settings: [...header.matchAll(/\bSET (\w+) = (.+?)\s*$/gm)].map(([, name, value]) => `${name}=${value}`),
    body: body?.[2] ?? body?.[3] ?? '',
    isVerbatim: body?.[2] !== undefined,
  }
}

function argumentOf(text: string): Argument {
  const [, out, name, type, defaultSql] = /^(OUT )?(\S+) (.+?)(?: DEFAULT (.+))?$/.exec(text) as unknown as [
    string,
    string | undefined,
    string,
    string,
    string | undefined,
  ]
  return { name, type, isOut: out !== undefined, defaultSql: defaultSql?.trim() }
}

/** Without RETURNS it is the record of what goes out. */
function resultOf(header: string): Result {
  const found = /\bRETURNS (SETOF )?([\w.]+)/.exec(header)
  return { isSet: found?.[1] !== undefined, type: found?.[2] ?? 'record' }
}

export const inputsOf = ({ arguments: all }: FunctionStatement): Argument[] =>
  all.filter(({ isOut }) => !isOut)

/** Name and types of arguments, as to_regprocedure() takes them. */
export const signatureOf = (one: FunctionStatement): string =>
  `${one.name}(${inputsOf(one)
    .map(({ type }) => type)
    .join(', ')})`
