import { fixedId, flax, prefixed } from '@snoflax/core'
import type ts from 'typescript'
import type { Findings } from './findings.js'
import { prefixOf, type Stored } from './shapes.js'
import type { Source, Sources } from './sources.js'

/** A key as it was, and one as it will be. */
interface Change {
  readonly name: string
  readonly kind: string
  readonly before: string
  readonly after: string
  readonly isUuid: boolean
}

/** Lists what refuses the new ids beside the old ones: regular expressions, patterns of OpenAPI, and validators. */
export function listRefusals(
  sources: Sources | undefined,
  documents: ReadonlyMap<string, string>,
  findings: Findings,
): void {
  const changes = [...findings.replaced].flatMap(([name, { stored, isUuid }]) =>
    changesOf(name, stored, isUuid),
  )
  if (changes.length === 0) return
  const tell = (file: string, line: number, text: string, refused: readonly string[] | undefined): void => {
    const [first, ...more] = refused ?? []
    const names = more.length > 2 ? `${first} and ${more.length} more` : refused?.join(', ')
    if (first) findings.notes.push({ file, line, name: text, text: `refuses the new ids of ${names}` })
  }
  for (const file of sources?.all ?? [])
    (sources as Sources).walk(file.node, (node) => {
      const refused = refusedIn(sources as Sources, file, node, changes)
      if (!refused) return
      const { line } = (sources as Sources).placeOf(file, node, '')
      tell(file.path, line, shown(node.getText()), refused)
    })
  for (const [file, text] of documents)
    for (const [at, line] of text.split('\n').entries()) {
      const [, , pattern] = /["']?pattern["']?\s*:\s*(["']?)(\^?.+?)\1,?\s*$/.exec(line) ?? []
      if (pattern)
        tell(file, at + 1, shown(line.trim()), refusedBy(pattern.replaceAll('\\\\', '\\'), changes))
    }
}

const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

function changesOf(name: string, stored: Stored, isUuid: boolean): Change[] {
  const { kind, sample } = stored
  if (!sample) return []
  const prefix = prefixOf(stored)
  const after = isUuid
    ? '0198c6a5-7d31-7c2e-9f04-3b6d5a8e1f27'
    : fixedId(prefix ? prefixed(flax, prefix) : flax, 'user')
  return [{ name, kind, before: sample, after, isUuid }]
}

/** Names of keys whose old ids the pattern takes, and not their new ones. */
function refusedBy(pattern: string, changes: readonly Change[], flags = ''): string[] {
  try {
    const test = new RegExp(pattern, flags.replace(/[gy]/g, ''))
    // What takes a part of anything says nothing of keys.
    if (!/[\^$]|\{\d/.test(pattern)) return []
    return changes.flatMap(({ name, before, after }) => (test.test(before) && !test.test(after) ? name : []))
  } catch {
    return []
  }
}

function refusedIn(
  { ts }: Sources,
  { path }: Source,
  node: ts.Node,
  changes: readonly Change[],
): string[] | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const isOurs = /^accept$/.test((node.parent as ts.PropertyAssignment).name?.getText() ?? '')
    const [, pattern = '', flags] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? []
    return isOurs ? undefined : refusedBy(pattern, changes, flags)
  }
  if (ts.isPropertyAssignment(node) && ts.isStringLiteralLike(node.initializer)) {
    const [name, { text }] = [node.name.getText(), node.initializer]
    if (name === 'pattern') return refusedBy(text, changes)
    return name === 'format' ? ofKind(text, '', changes) : undefined
  }
  if (path.endsWith('.d.ts')) return undefined
  if (ts.isIdentifier(node) && node.text === 'ParseUUIDPipe' && !ts.isImportSpecifier(node.parent))
    return ofKind('uuid', node.parent.getText(), changes)
  if (!ts.isCallExpression(node)) return undefined
  const callee = node.expression
  const name = (ts.isPropertyAccessExpression(callee) ? callee.name : callee).getText()
  const given = node.arguments.map((one) => one.getText()).join()
  const isSchema =
    ts.isPropertyAccessExpression(callee) && /\b(?:z|zod|v|t|yup|Joi|s)\b/i.test(callee.expression.getText())
  if (/^isuuid$/i.test(name) || (isSchema && /^(?:uuid|uuidv4|guid|cuid|cuid2|nanoid|ulid)$/.test(name)))
    return ofKind(
      name.replace(/^is|v4$|guid/i, (one) => (one === 'guid' ? 'uuid' : '')).toLowerCase(),
      name + given,
      changes,
    )
  return isSchema && name === 'length' && /string\(/.test(callee.getText())
    ? changes.flatMap((one) =>
        String(one.before.length) === given && one.after.length !== one.before.length ? one.name : [],
      )
    : undefined
}

/** Names of keys of this kind that the check with these words refuses: a UUIDv7 passes where no version is named. */
const ofKind = (kind: string, words: string, changes: readonly Change[]): string[] =>
  changes.flatMap((one) => (one.kind.includes(kind) && (!one.isUuid || /4/.test(words)) ? one.name : []))
