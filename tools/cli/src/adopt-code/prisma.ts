import { dirname, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { applyEdits, type Edit } from './edits.js'
import { BINARY_IN_MYSQL, type Findings, NUMBERS, type Passed } from './findings.js'
import { prefixOf, STORED, type Stored } from './shapes.js'

/** What we read of Prisma's DMMF. */
interface Field {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly isId: boolean
  readonly dbName?: string | null
  readonly documentation?: string
  readonly nativeType?: readonly [string, readonly string[]] | null
  readonly default?: unknown
  readonly relationFromFields?: readonly string[]
  readonly relationToFields?: readonly string[]
}

export interface Model {
  readonly name: string
  readonly dbName?: string | null
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

/** A schema as its parser reads it, and what it says of each line. */
export interface Schema {
  readonly texts: ReadonlyMap<string, string>
  readonly models: readonly Model[]
  readonly lines: ReadonlyMap<string, Line>
  readonly provider: string | undefined
}

/** @throws {Error} with what Prisma says */
export function readPrisma(texts: ReadonlyMap<string, string>, getDmmf: GetDmmf): Schema {
  const lines = new Map([...texts].flatMap(([file, text]) => [...linesOf(file, text)]))
  return {
    texts,
    models: modelsOf(texts, getDmmf),
    lines,
    provider: settingOf(texts, lines, 'datasource', 'provider'),
  }
}

/** Finds the keys of Prisma's models, and the edits that make them id fields. @throws {Error} with what Prisma says. */
export function adoptPrisma(
  schema: Schema,
  getDmmf: GetDmmf,
  findings: Findings,
  passed: ReadonlyMap<string, readonly Passed[]>,
): void {
  const changed = new Map<string, string>()
  for (const model of schema.models) {
    findings.counts.tables++
    const references = referencesOf(model)
    for (const field of model.fields) {
      const name = `${model.name}.${field.name}`
      const line = schema.lines.get(name)
      if (line === undefined || field.kind !== 'scalar') continue
      findings.read(line.file, line.number)
      const target = references.get(field.name)
      if (target) {
        findings.counts.references++
        findings.references.push({
          file: line.file,
          line: line.number,
          name,
          text: `${target}, whose key it takes`,
        })
        ask(findings, model, field, target)
        continue
      }
      const stored = keyOf(schema, model, field, findings, passed)
      if (stored === undefined) continue
      const isUuid = isNativeUuid(field)
      const prefix = prefixOf(stored)
      const comment = isUuid
        ? '@snoflax uuid7 accept=uuid7or4'
        : `@snoflax flax ${prefix ? `prefix=${prefix} ` : ''}accept=${findings.literalOf(stored.pattern)} onMismatch=notFound${schema.provider === 'mysql' ? ' collation=utf8mb4_bin' : ''}`
      findings.adopt({ file: line.file, line: line.number, name }, stored, isUuid)
      findings.edit(
        line.file,
        ...editsOf(schema.texts.get(line.file) as string, line, comment, field.default !== undefined),
      )
      changed.set(name, comment)
    }
  }
  listUnread(schema, findings)
  if (changed.size === 0) return
  addGenerator(schema.texts, schema.lines, findings)
  check(schema.texts, findings, schema.models, getDmmf, changed)
  findings.next.add(
    'npx prisma generate, then extend the client: new PrismaClient({ … }).$extends(snoflax())',
  )
  if (schema.provider !== 'sqlite')
    findings.next.add(
      schema.provider === 'mysql'
        ? `MySQL: a migration of collation.sql, which generator snoflax writes, ${BINARY_IN_MYSQL}`
        : 'PostgreSQL: append collation.sql, which generator snoflax writes, to a migration, so that new text ids sort by time',
    )
}

/** Fields that hold another model's key, and that key. */
function referencesOf({ fields }: Model): ReadonlyMap<string, string> {
  const references = new Map<string, string>()
  for (const { type, relationFromFields = [], relationToFields = [] } of fields)
    for (const [at, field] of relationFromFields.entries())
      references.set(field, `${type}.${relationToFields[at]}`)
  return references
}

const isNativeUuid = ({ nativeType }: Field): boolean => nativeType?.[0] === 'Uuid'

const ask = ({ asked }: Findings, model: Model, field: Field, key: string): void =>
  void asked.push({
    name: `${model.name}.${field.name}`,
    table: model.dbName ?? model.name,
    column: field.dbName ?? field.name,
    key,
    isUuid: isNativeUuid(field),
  })

/** The keys that a field stores: undefined if it is no key, or is left. */
function keyOf(
  { models, lines, provider }: Schema,
  model: Model,
  field: Field,
  findings: Findings,
  passed: ReadonlyMap<string, readonly Passed[]>,
): Stored | undefined {
  const name = `${model.name}.${field.name}`
  const { file, number } = lines.get(name) as Line
  const leave = (text: string): undefined => findings.leave({ file, line: number, name }, text)
  const isKey = field.isId || model.primaryKey?.fields.includes(field.name) || isTarget(models, name)
  const isOne = field.isId || field.default !== undefined
  if (!isKey || (isOne && field.documentation?.includes('@snoflax'))) {
    if (isKey) findings.counts.keys++
    return undefined
  }
  if (/^(?:Int|BigInt)$/.test(field.type) && field.isId) findings.counts.keys++
  if (/^(?:Int|BigInt)$/.test(field.type)) return field.isId ? leave(NUMBERS) : undefined
  if (field.type !== 'String')
    return field.isId ? leave(`a key of type ${field.type}: not text and not uuid`) : undefined
  if (isOne) findings.counts.keys++
  if (!/^(?:postgres(?:ql)?|sqlite|mysql)$/.test(provider ?? ''))
    return leave(
      `${provider ?? 'a database without a provider'}: declare the key by hand, as the page of @snoflax/prisma-extension says`,
    )
  ask(findings, model, field, name)
  const made = generatorOf(field)
  const stored = findings.storedIn({
    name,
    made,
    isUuid: isNativeUuid(field),
    passed: passed.get(name) ?? [],
  })
  if (typeof stored === 'string') return isOne ? leave(stored) : undefined
  return field.nativeType?.[0] === 'Char'
    ? leave('@db.Char stores texts of one length: use @db.VarChar or text')
    : stored
}

/** Lines that say that a field is a key or a foreign key, and that the parser's models don't have. */
function listUnread({ texts, lines }: Schema, findings: Findings): void {
  for (const [name, { file, number, start, end }] of lines) {
    const code =
      texts
        .get(file)
        ?.slice(start, end)
        .replace(/"(?:\\.|[^"\\])*(?:"|$)/g, '') ?? ''
    if (/\s@id\b/.test(code) && !findings.isRead(file, number))
      findings.unread.push({ file, line: number, name, text: '@id belongs to no model that was read' })
  }
}

function modelsOf(
  texts: ReadonlyMap<string, string>,
  getDmmf: GetDmmf,
  unknown: readonly string[] = [],
): readonly Model[] {
  const { datamodel, reason, error } = getDmmf({
    datamodel: [...texts].map(([file, text]) => [file, withoutSettings(text, unknown)]),
  })
  if (datamodel) return datamodel.models
  // Its message is JSON, with the colours of a terminal.
  const [, message = reason] = /"message":("(?:\\.|[^"\\])*")/.exec(error?.message ?? '') ?? []
  const text = message?.startsWith('"') ? (JSON.parse(message) as string) : (message ?? '')
  const plain = stripVTControlCharacters(text).replace(/\s+/g, ' ')
  const [, feature] = /preview feature "(\w+)" is not known/.exec(plain) ?? []
  if (feature && !unknown.includes(feature)) return modelsOf(texts, getDmmf, [...unknown, feature])
  throw new Error(plain)
}

/** Without addresses, which Prisma 7 refuses in a schema, and without features that only other versions know. */
const withoutSettings = (text: string, unknown: readonly string[]): string =>
  text
    .replace(/^([ \t]*)(?:url|directUrl|shadowDatabaseUrl)[ \t]*=[^\n]*/gm, '$1')
    .replace(/^[ \t]*previewFeatures[ \t]*=[ \t]*\[[^\]]*\]/gm, (line) =>
      unknown.reduce((all, one) => all.replace(new RegExp(`"${one}"\\s*,?`), ''), line),
    )

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
