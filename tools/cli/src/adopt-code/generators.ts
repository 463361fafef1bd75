import type ts from 'typescript'
import { escaped, STORED, type Stored } from './shapes.js'
import type { Found, Sources } from './sources.js'

/** The keys that a generator makes, which is passed as a function; or the name that the source has for it. */
export function storedBy(sources: Sources, generator: Found): Stored | string {
  const result = sources.resultOf(sources.followed(generator))
  if (result) return storedAs(sources, result)
  return madeBy(sources, generator, []) ?? generator.node.getText()
}

/** The keys that an expression makes; or the name that the source has for what makes them. */
export function storedAs(sources: Sources, value: Found): Stored | string {
  const { ts } = sources
  const { scope, node } = sources.followed(value)
  if (ts.isCallExpression(node)) {
    const given = node.arguments.map((one) => ({ scope, node: one }))
    return madeBy(sources, { scope, node: node.expression }, given) ?? node.expression.getText()
  }
  const parts = partsOf(sources, { scope, node })
  if (parts === undefined) return node.getText()
  const read = parts.map((one) => (typeof one === 'string' ? constant(one) : storedAs(sources, one)))
  const unknown = read.find((one) => typeof one === 'string')
  if (unknown !== undefined) return unknown
  const known = read as Stored[]
  const kinds = known.flatMap(({ kind }) => kind || [])
  if (kinds.length === 0) return node.getText()
  return {
    kind: kinds.join(),
    pattern: known.map(({ pattern }) => pattern).join(''),
    sample: known.map(({ sample }) => sample).join(''),
  }
}

const constant = (text: string): Stored => ({ kind: '', pattern: escaped(text), sample: text })

/** What a template, a sum of texts or a literal consists of. */
function partsOf(sources: Sources, { scope, node }: Found): (string | Found)[] | undefined {
  const { ts } = sources
  const known = (one: ts.Expression): (string | Found)[] => {
    const part = sources.partOf(scope, one)
    const found = part && sources.followed(part)
    return found ? (partsOf(sources, found) ?? [found]) : [{ scope, node: one }]
  }
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return [...known(node.left), ...known(node.right)]
  if (!ts.isTemplateExpression(node)) return undefined
  return [
    node.head.text,
    ...node.templateSpans.flatMap(({ expression, literal }) => [...known(expression), literal.text]),
  ]
}

function madeBy(sources: Sources, callee: Found, given: readonly Found[]): Stored | undefined {
  const { scope, node } = sources.followed(callee)
  const origin = sources.exportOf(scope, node)
  if (origin) return PACKAGES[origin.module.replace(/^node:/, '')]?.(origin.name, literalsOf(sources, given))
  if (sources.ts.isCallExpression(node)) {
    const maker = sources.exportOf(scope, node.expression)
    const own = node.arguments.map((one) => ({ scope, node: one }))
    return maker && MAKERS[`${maker.module} ${maker.name}`]?.(literalsOf(sources, own))
  }
  const declared = sources.declarationOf(scope, node)
  const result = sources.resultOf(
    { scope: { ...scope, ...declared?.scope, depth: scope.depth }, node: declared?.node ?? node },
    given,
  )
  const stored = result && storedAs(sources, result)
  return typeof stored === 'string' ? undefined : stored
}

/** Literals and objects of them; null for what the source computes. */
const literalsOf = (sources: Sources, given: readonly Found[]): unknown[] =>
  given.map((one) => {
    const { ts } = sources
    const { scope, node } = sources.followed(one)
    if (ts.isNumericLiteral(node)) return Number(node.text)
    if (ts.isStringLiteralLike(node)) return node.text
    const length = ts.isObjectLiteralExpression(node) && sources.member(node, 'length')
    const [number] = length ? literalsOf(sources, [{ scope, node: length }]) : []
    return typeof number === 'number' ? { length: number } : null
  })

type Given = readonly unknown[]

/** Functions that generate keys, by package: undefined for others. */
const PACKAGES: Readonly<Record<string, (name: string, given: Given) => Stored | undefined>> = {
  '@paralleldrive/cuid2': (name) => (name === 'createId' ? STORED.cuid2() : undefined),
  cuid: (name) => (name === 'default' ? STORED.cuid() : undefined),
  nanoid: (name, [length = 21]) =>
    name === 'nanoid' && typeof length === 'number' ? STORED.nanoid(length) : undefined,
  crypto: (name) => (name === 'randomUUID' ? STORED.uuid() : undefined),
  uuid: (name) =>
    /^v[47]$/.test(name)
      ? STORED.uuid()
      : /^v[1-6]$/.test(name)
        ? { ...STORED.uuid(), kind: `uuid ${name}` }
        : undefined,
  uuidv7: (name) => (name === 'uuidv7' ? STORED.uuid() : undefined),
  ulid: (name) => (name === 'ulid' ? STORED.ulid() : undefined),
}

/** Functions that make such functions. */
const MAKERS: Readonly<Record<string, (given: Given) => Stored | undefined>> = {
  '@paralleldrive/cuid2 init': ([options]) => {
    const { length } = (options ?? {}) as { length?: number }
    return length === undefined ? { ...STORED.cuid2(), pattern: '[a-z][a-z0-9]{1,31}' } : STORED.cuid2(length)
  },
  'nanoid customAlphabet': ([letters, length = 21]) =>
    typeof letters === 'string' && typeof length === 'number' ? STORED.alphabet(letters, length) : undefined,
  'ulid monotonicFactory': () => STORED.ulid(),
}
