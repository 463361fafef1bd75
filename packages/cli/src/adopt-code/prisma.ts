import { dirname, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { applyEdits, type Edit, type Findings, NUMBERS, STORED, type Stored } from './findings.js'

/** What we read of Prisma's DMMF. */
interface Field {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly isId: boolean
  readonly isUnique: boolean
  readonly documentation?: string
  readonly nativeType?: readonly [string, readonly string[]] | null
  readonly default?: unknown
  readonly relationFromFields?: readonly string[]
  readonly relationToFields?: readonly string[]
}

interface Model {
  readonly name: string
  readonly fields: readonly Field[]
  readonly primaryKey?: { readonly fields: readonly string[] } | null
}

/** `getDMMF` of Prisma, which reports an error as an object. */
export type GetDmmf = (options: { datamodel: [string, string][] }) => {
  readonly datamodel?: { readonly models: readonly Model[] }
  readonly reason?: string
  readonly error?: Error
}

/** A line of a block, such as a field, and where its parts are. */
interface Line {
  readonly file: string
  readonly number: number
  /** Offset of its first word. */
  readonly start: number
  /** Offset of its comment, else of its end. */
  readonly end: number
  readonly hasComment: boolean
}

/** Finds the keys of Prisma's models, and the edits that make them id fields. @throws {Error} with what Prisma says. */
export function adoptPrisma(texts: ReadonlyMap<string, string>, getDmmf: GetDmmf, findings: Findings): void {
  const models = modelsOf(texts, getDmmf)
  const lines = new Map([...texts].flatMap(([file, text]) => [...linesOf(file, text)]))
  const changed = new Map<string, { edits: readonly Edit[]; comment: string }>()
  const provider = settingOf(texts, lines, 'datasource', 'provider')
  let needsFamilies = false
  for (const model of models) {
    const references = new Map<string, string>()
    for (const { type, relationFromFields = [], relationToFields = [] } of model.fields) {
      for (const [at, field] of relationFromFields.entries())
        references.set(field, `${type}.${relationToFields[at]}`)
    }
    for (const field of model.fields) {
      const name = `${model.name}.${field.name}`
      const line = lines.get(name)
      if (line === undefined || field.kind !== 'scalar') continue
      const place = { file: line.file, line: line.number, name }
      const leave = (text: string): undefined => findings.leave(place, text)
      const target = references.get(field.name)
      if (target) {
        findings.references.push({ ...place, text: `${target}, whose key it takes` })
        continue
      }
      const isKey = field.isId || model.primaryKey?.fields.includes(field.name) || isTarget(models, name)
      if (!isKey || field.documentation?.includes('@snoflax')) continue
      const isUuid = field.nativeType?.[0] === 'Uuid'
      if (/^(?:Int|BigInt)$/.test(field.type)) {
        if (field.isId) leave(NUMBERS)
        continue
      }
      if (field.type !== 'String') continue
      if (!/^(?:postgres(?:ql)?|sqlite)$/.test(provider ?? '')) {
        leave(
          `${provider ?? 'a database without a provider'}: declare the key by hand, as the page of @snoflax/prisma-extension says`,
        )
        continue
      }
      const stored = findings.storedIn(name, generatorOf(field), isUuid)
      if (typeof stored === 'string') {
        if (field.isId || field.default !== undefined) leave(stored)
        continue
      }
      if (field.nativeType?.[0] === 'Char') {
        leave('@db.Char holds keys of one length: make it @db.VarChar or text')
        continue
      }
      needsFamilies ||= isUuid
      const comment = isUuid
        ? '@snoflax uuid7 accept=uuid7or4'
        : `@snoflax flax accept=${findings.literalOf(stored.pattern)} onMismatch=notFound`
      findings.keys.push({ ...place, text: `${stored.kind}, then ${isUuid ? 'uuid7' : 'flax'}` })
      const edits = editsOf(texts.get(line.file) as string, line, comment, field.default !== undefined)
      findings.edit(line.file, ...edits)
      changed.set(name, { edits, comment })
    }
  }
  if (changed.size === 0) return
  addGenerator(texts, lines, findings, needsFamilies)
  check(texts, findings, models, getDmmf, new Map([...changed].map(([name, { comment }]) => [name, comment])))
  findings.next.add(
    'npx prisma generate, then extend the client: new PrismaClient({ … }).$extends(snoflax())',
  )
  if (provider !== 'sqlite')
    findings.next.add(
      'PostgreSQL: append generated/snoflax/collation.sql to a migration, so that new text ids sort by time',
    )
}

function modelsOf(texts: ReadonlyMap<string, string>, getDmmf: GetDmmf): readonly Model[] {
  const { datamodel, reason, error } = getDmmf({ datamodel: [...texts] })
  if (datamodel) return datamodel.models
  // Its message is JSON, with the colours of a terminal.
  const [, message = reason] = /"message":("(?:\\.|[^"\\])*")/.exec(error?.message ?? '') ?? []
  const text = message?.startsWith('"') ? (JSON.parse(message) as string) : (message ?? '')
  throw new Error(stripVTControlCharacters(text).replace(/\s+/g, ' '))
}

const isTarget = (models: readonly Model[], name: string): boolean =>
  models.some(({ fields }) =>
    fields.some(({ type, relationToFields = [] }) =>
      relationToFields.some((field) => `${type}.${field}` === name),
    ),
  )

/** What generates the field's keys: undefined for the application, its text if it is not known. */
function generatorOf({ default: given }: Field): Stored | string | undefined {
  if (given === undefined) return undefined
  const { name = String(given), args = [] } = given as { name?: string; args?: readonly unknown[] }
  const [first] = args
  if (name === 'cuid') return first === 2 ? STORED.cuid2() : STORED.cuid()
  if (name === 'nanoid') return STORED.nanoid((first as number | undefined) ?? 21)
  if (name === 'ulid') return STORED.ulid()
  const isUuid = name === 'uuid' || /^(?:gen_random_uuid|uuid_generate_v4|uuidv7)\(\)$/.test(String(first))
  return isUuid ? STORED.uuid() : args.length > 0 ? String(first) : name
}

/** The lines of models, datasources and generators, by the names of block and line. Strings and comments are skipped. */
function* linesOf(file: string, text: string): Generator<[string, Line]> {
  let [offset, number, block] = [0, 0, '']
  for (const line of text.split(/(?<=\n)/)) {
    number++
    const content = line.trimEnd()
    const code = content.replace(/"(?:\\.|[^"\\])*"?/g, (one) => '"'.padEnd(one.length, '"'))
    const comment = code.indexOf('//')
    const end = comment < 0 ? content.length : content.slice(0, comment).trimEnd().length
    const [, kind, name] = /^\s*(model|view|datasource|generator)\s+(\w+)\s*\{/.exec(code) ?? []
    const [, indent, word] = /^(\s*)(\w+)/.exec(code.slice(0, end)) ?? []
    if (kind)
      block = kind === 'datasource' ? kind : kind === 'generator' ? `generator ${name}` : (name as string)
    else if (/^\s*\}/.test(code)) {
      yield [`${block}.}`, { file, number, start: offset, end: offset + end, hasComment: comment >= 0 }]
      block = ''
    } else if (block && word) {
      const start = offset + (indent as string).length
      yield [`${block}.${word}`, { file, number, start, end: offset + end, hasComment: comment >= 0 }]
    }
    offset += line.length
  }
}

function settingOf(
  texts: ReadonlyMap<string, string>,
  lines: ReadonlyMap<string, Line>,
  block: string,
  name: string,
): string | undefined {
  const line = lines.get(`${block}.${name}`)
  return line && /"([^"]*)"/.exec(texts.get(line.file)?.slice(line.start, line.end) ?? '')?.[1]
}

function editsOf(
  text: string,
  { start, end, hasComment }: Line,
  comment: string,
  hasDefault: boolean,
): Edit[] {
  const code = text.slice(start, end)
  const from = code.indexOf('@default(')
  let to = from + '@default('.length
  for (let depth = 1; hasDefault && depth > 0; to++) depth += code[to] === '(' ? 1 : code[to] === ')' ? -1 : 0
  const fresh = '@default(dbgenerated())'
  const edits: Edit[] = hasDefault ? [{ start: start + from, end: start + to, text: fresh }] : []
  const added = `${hasDefault ? '' : ` ${fresh}`}${hasComment ? '' : ` /// ${comment}`}`
  if (added) edits.push({ start: end, end, text: added })
  const indent = text.slice(text.lastIndexOf('\n', start) + 1, start)
  if (hasComment) edits.push({ start, end: start, text: `/// ${comment}\n${indent}` })
  return edits
}

function addGenerator(
  texts: ReadonlyMap<string, string>,
  lines: ReadonlyMap<string, Line>,
  findings: Findings,
  needsFamilies: boolean,
): void {
  const closing = [...lines].filter(([name]) => /^generator .*\.}$/.test(name)).at(-1)?.[1]
  if ([...lines].some(([name]) => name.startsWith('generator snoflax.')) || closing === undefined) return
  const client = settingOf(
    texts,
    lines,
    [...lines.keys()].find((name) => name.startsWith('generator '))?.split('.')[0] ?? '',
    'output',
  )
  const output = client
    ? `${client.slice(0, client.lastIndexOf('/') + 1) || './'}snoflax`
    : '../generated/snoflax'
  const options = [
    'provider = "snoflax-prisma-generator"',
    `output   = "${output}"`,
    ...(needsFamilies ? ['families = "@snoflax/families"'] : []),
    ...(findings.wanted.branded ? [] : ['branded  = false']),
  ]
  const text = `\n\ngenerator snoflax {\n${options.map((one) => `  ${one}\n`).join('')}}`
  findings.edit(closing.file, { start: closing.end, end: closing.end, text })
}

/** Prisma reads the result, and nothing but the keys may have changed. */
function check(
  texts: ReadonlyMap<string, string>,
  { edits }: Findings,
  models: readonly Model[],
  getDmmf: GetDmmf,
  comments: ReadonlyMap<string, string>,
): void {
  const after = modelsOf(
    new Map([...texts].map(([file, text]) => [file, applyEdits(text, edits.get(file) ?? [])])),
    getDmmf,
  )
  const expected = models.map((model) => ({
    ...model,
    fields: model.fields.map((field) => {
      const comment = comments.get(`${model.name}.${field.name}`)
      if (comment === undefined) return field
      const documentation = [field.documentation, comment].filter(Boolean).join('\n')
      return { ...field, hasDefaultValue: true, default: { name: 'dbgenerated', args: [] }, documentation }
    }),
  }))
  if (canonical(after) !== canonical(expected)) {
    throw new Error(
      `the edits would change more than the id fields of ${relative('.', dirname([...texts.keys()][0] as string)) || '.'}; nothing was written`,
    )
  }
}

/** The same for the same content, in whatever order a comment stands beside others. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (key, one) => {
    if (key === 'documentation') return String(one).split('\n').sort()
    const isObject = one && typeof one === 'object' && !Array.isArray(one)
    return isObject ? Object.fromEntries(Object.entries(one).sort()) : one
  })
