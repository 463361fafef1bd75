import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateProject, PROVIDER } from '../packages/prisma-extension/test/project/generate.js'
import { at } from './workspace.js'

// What an editor shows about ids: types, completions, and the end of the compiler's messages, which says what to do.

const PROGRAMS = {
  core: `
import { type FlaxId, flax, type Id, prefixed, sno } from '@snoflax/core'
type CustomerId = Id<'flax', 'customer'>
declare const text: string
declare const productId: Id<'flax', 'product'>
declare function loadCustomer(id: CustomerId): void
declare function load(id: FlaxId): void
const bare = flax.generate()
const parsed = flax.parse(text)
const bound = sno.lowerBound(0)
const customer: CustomerId = flax.generate()
const named = flax.parse<'customer'>(text)
const cus = prefixed(flax, 'cus')
const public_ = cus.generate()
const range = flax.range(0, 1)
load(text)
load(sno.generate())
loadCustomer(text)
loadCustomer(productId)
loadCustomer(bare)
cus.time(bare)
flax.time(text)
const ids: (FlaxId | null)[] = [text]
flax.;
sno.;
cus.;
`,
  drizzle: `
import { flax } from '@snoflax/core'
import { flaxId, snoId, typedIds } from '@snoflax/drizzle/pg-core'
import { eq, inArray } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable } from 'drizzle-orm/pg-core'
const shops = typedIds(pgTable('shops', { id: flaxId().primaryKey() }))
const doors = typedIds(pgTable('doors', { id: flaxId().primaryKey(), shopId: flaxId.ref(() => shops.id).notNull() }))
const orders = pgTable('orders', { id: snoId().primaryKey(), traceId: flaxId.plain().notNull() })
const db = drizzle('')
declare const text: string
declare const doorId: typeof doors.$inferSelect.id
db.insert(orders).values({ traceId: text })
db.insert(orders).values([{ traceId: text }])
db.update(orders).set({ traceId: text })
db.update(orders).set({ id: flax.generate() })
db.update(doors).set({ shopId: text })
db.update(doors).set({ shopId: doorId })
eq(orders.id, text)
inArray(orders.id, [text])
eq(doors.shopId, doorId)
flaxId.;
`,
  typeorm: `
import { type FlaxId, flax, type Id, type SnoId, sno } from '@snoflax/core'
import { FlaxIdColumn, IdColumn, keyset, SnoIdColumn } from '@snoflax/typeorm'
import type { Repository } from 'typeorm'
class Author {
  @FlaxIdColumn() id!: Id<'flax', 'author'>
}
class Book {
  @SnoIdColumn() id!: SnoId
  @FlaxIdColumn.plain() authorId!: Id<'flax', 'author'>
}
abstract class Base<AnId extends FlaxId> {
  @FlaxIdColumn() id!: AnId
}
class Wrong {
  @FlaxIdColumn() another!: SnoId
  @FlaxIdColumn() any!: string
  @IdColumn(sno) general!: FlaxId
  @FlaxIdColumn({ prefix: 'cus' }) bare!: FlaxId
  @FlaxIdColumn.plain({ array: true }) list!: FlaxId
  @FlaxIdColumn({ branded: false }) number!: number
}
declare const text: string
declare const bookId: SnoId
declare const books: Repository<Book>
books.findBy({ id: flax.generate() })
books.update(bookId, { authorId: flax.generate<'book'>() })
keyset(Book, { take: 5, after: text })
FlaxIdColumn.;
`,
  kysely: `
import { flaxId, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import type { Kysely } from 'kysely'
const tables = { customers: { id: flaxId() }, orders: { id: snoId(), customer_id: flaxId.ref('customers.id') } }
const ids = idPlugin({ database: 'postgres', tables })
declare const db: Kysely<WithIds<{ orders: { total: number } }, typeof ids>>
declare const text: string
db.selectFrom('orders').where('id', '=', ids.generate('customers.id'))
db.updateTable('orders').set({ customer_id: ids.generate('orders.id') })
ids.createdAt('orders.id', text)
ids.;
`,
  'prisma-extension': `
import { PrismaClient } from './client/client.ts'
import { snoflax } from './snoflax/index.ts'
declare const bare: PrismaClient
const prisma = bare.$extends(snoflax())
const shop = await prisma.shop.findFirstOrThrow()
const order = await prisma.order.findFirstOrThrow()
prisma.shop.findUnique({ where: { id: order.id } })
prisma.shop.findMany({ where: { id: { in: [order.id] } } })
prisma.order.findMany({ where: { customer: { id: shop.id } } })
prisma.order.create({ data: { customerId: shop.id } })
prisma.order.create({ data: { customer: { connect: { id: order.id } } } })
prisma.order.update({ where: { id: order.id }, data: { customerId: order.id } })
`,
}

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "../client"
}
generator snoflax {
  provider = "${PROVIDER}"
  output   = "../snoflax"
}
datasource db {
  provider = "sqlite"
}
model Shop {
  id String @id @default(dbgenerated()) /// @snoflax flax
}
model Customer {
  id     String  @id @default(dbgenerated()) /// @snoflax flax
  orders Order[]
}
model Order {
  id         String   @id @default(dbgenerated()) /// @snoflax sno
  customerId String
  customer   Customer @relation(fields: [customerId], references: [id])
}
`

type Program = keyof typeof PROGRAMS
const NAMES = Object.keys(PROGRAMS) as Program[]
const fileOf = new Map(NAMES.map((name) => [name, at(`packages/${name}/test/editor-program.ts`)]))
const textOf = (path: string): string | undefined => {
  const name = NAMES.find((one) => fileOf.get(one) === path)
  return name ? PROGRAMS[name] : ts.sys.readFile(path)
}

/** One for all programs, so that core and the standard library are read once. */
const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  }),
  getScriptFileNames: () => [...fileOf.values()],
  getScriptVersion: () => '1',
  getScriptSnapshot(path) {
    const text = textOf(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => at(''),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => textOf(path) !== undefined,
  readFile: textOf,
})

beforeAll(async () => {
  const folder = await generateProject({ 'schema/main.prisma': SCHEMA })
  fileOf.set('prisma-extension', `${folder}/editor-program.ts`)
})

/** Where a part of a program ends that occurs once. */
function endOf(name: Program, part: string): number {
  const [before = '', ...after] = PROGRAMS[name].split(part)
  expect(after, part).toHaveLength(1)
  return before.length + part.length
}

/** The lines of the compiler's message about a line of a program. */
function messageAbout(name: Program, line: string): string[] {
  const end = endOf(name, `${line}\n`)
  const messages = service
    .getSemanticDiagnostics(fileOf.get(name) as string)
    .filter(({ start = 0 }) => start < end && start > end - line.length - 2)
  expect(messages, line).toHaveLength(1)
  return messages.flatMap(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n'))
}

describe('the type of', () => {
  test.for([
    ['bare', 'FlaxId'],
    ['parsed', 'FlaxId'],
    ['bound', 'SnoId'],
    ['customer', 'CustomerId'],
    ['named', 'Id<"flax", "customer">'],
    ['public_', 'Id<"cus">'],
    ['range', 'IdRange<FlaxId>'],
  ] as const)('%s', ([name, type]) => {
    const at = endOf('core', `const ${name}`) - 1
    const info = service.getQuickInfoAtPosition(fileOf.get('core') as string, at)
    expect(ts.displayPartsToString(info?.displayParts)).toBe(`const ${name}: ${type}`)
  })
})

const PARSE = 'pass what its parse() returns'
const ofTable = (table: string): string => `"an id of ${table}: pass what parse<'${table}'>() returns"`
const ofFamily = (family: string): string => `"an id of ${family}: ${PARSE}"`

describe('the last line of a message says what to do', () => {
  test.for<[Program, line: string, end: string]>([
    ['core', 'load(text)', `'ParsedId<"flax", string, "${PARSE}">'`],
    ['core', 'load(sno.generate())', `'${ofFamily('sno')}' is not assignable to type '${ofFamily('flax')}'`],
    ['core', 'loadCustomer(text)', `'ParsedId<"flax", "customer", "${PARSE}">'`],
    [
      'core',
      'loadCustomer(productId)',
      `'"product"' is not assignable to type '"customer" | ${ofTable('customer')}'`,
    ],
    [
      'core',
      'loadCustomer(bare)',
      `'string' is not assignable to type '"customer" | ${ofTable('customer')}'`,
    ],
    ['core', 'cus.time(bare)', `to type '${ofFamily('cus')}'`],
    ['core', 'flax.time(text)', `'ParsedId<"flax", string, "${PARSE}">'`],
    ['core', 'const ids: (FlaxId | null)[] = [text]', `'ParsedId<"flax", string, "${PARSE}">'`],
    ['drizzle', 'db.insert(orders).values({ traceId: text })', PARSE],
    ['drizzle', 'db.insert(orders).values([{ traceId: text }])', PARSE],
    ['drizzle', 'db.update(orders).set({ traceId: text })', PARSE],
    ['drizzle', 'db.update(orders).set({ id: flax.generate() })', ofFamily('sno')],
    ['drizzle', 'db.update(doors).set({ shopId: text })', PARSE],
    ['drizzle', 'db.update(doors).set({ shopId: doorId })', ofTable('shops')],
    ['typeorm', '@FlaxIdColumn() another!: SnoId', `"declare the property as Id<'flax'>"`],
    ['typeorm', '@FlaxIdColumn() any!: string', `"declare the property as Id<'flax'>"`],
    ['typeorm', '@IdColumn(sno) general!: FlaxId', `"declare the property as Id<'sno'>"`],
    ['typeorm', "@FlaxIdColumn({ prefix: 'cus' }) bare!: FlaxId", `"declare the property as Id<'cus'>"`],
    [
      'typeorm',
      '@FlaxIdColumn.plain({ array: true }) list!: FlaxId',
      `"declare the property as Id<'flax'>[]"`,
    ],
    ['typeorm', '@FlaxIdColumn({ branded: false }) number!: number', '"declare the property as string"'],
    ['typeorm', 'books.findBy({ id: flax.generate() })', ofFamily('sno')],
    ['typeorm', "books.update(bookId, { authorId: flax.generate<'book'>() })", ofTable('author')],
    ['typeorm', 'keyset(Book, { take: 5, after: text })', PARSE],
    ['kysely', "db.selectFrom('orders').where('id', '=', ids.generate('customers.id'))", ofFamily('sno')],
    ['kysely', "db.updateTable('orders').set({ customer_id: ids.generate('orders.id') })", ofFamily('flax')],
    ['kysely', "ids.createdAt('orders.id', text)", PARSE],
    ['prisma-extension', 'prisma.shop.findUnique({ where: { id: order.id } })', ofFamily('flax')],
    ['prisma-extension', 'prisma.shop.findMany({ where: { id: { in: [order.id] } } })', ofFamily('flax')],
    [
      'prisma-extension',
      'prisma.order.findMany({ where: { customer: { id: shop.id } } })',
      ofTable('Customer'),
    ],
    ['prisma-extension', 'prisma.order.create({ data: { customerId: shop.id } })', ofTable('Customer')],
    [
      'prisma-extension',
      'prisma.order.create({ data: { customer: { connect: { id: order.id } } } })',
      ofFamily('flax'),
    ],
    [
      'prisma-extension',
      'prisma.order.update({ where: { id: order.id }, data: { customerId: order.id } })',
      ofFamily('flax'),
    ],
  ])('%s: %s', ([name, line, end]) => {
    expect(messageAbout(name, line).at(-1)).toContain(end)
  })

  // Where an operator of Drizzle has overloads for expressions, they follow.
  test.for([
    ['eq(orders.id, text)', PARSE],
    ['inArray(orders.id, [text])', PARSE],
    ['eq(doors.shopId, doorId)', ofTable('shops')],
  ] as const)('drizzle: the overload for columns of %s', ([line, end]) => {
    expect(
      messageAbout('drizzle', line).filter((one) => /is not assignable to .*"/.test(one)),
    ).toContainEqual(expect.stringContaining(end))
  })

  test('for a property of a class with a type parameter there is none', () => {
    const { typeorm } = PROGRAMS
    const end = typeorm.indexOf('class Wrong')
    const messages = service.getSemanticDiagnostics(fileOf.get('typeorm') as string)
    expect(messages.filter(({ start = 0 }) => start < end)).toEqual([])
  })
})

const OF_FUNCTIONS = 'apply arguments bind call caller length name prototype toString Symbol'.split(' ')

/** As VS Code asks; without the members of every function. */
function completionsAfter(name: Program, part: string): string[] {
  const options = { includeCompletionsWithInsertText: true }
  const found = service.getCompletionsAtPosition(fileOf.get(name) as string, endOf(name, part) - 1, options)
  const names = found?.entries.filter(({ kind }) => kind !== 'warning').map((entry) => entry.name) ?? []
  return names.filter((one) => !names.includes('apply') || !OF_FUNCTIONS.includes(one)).sort()
}

const FAMILY =
  '~standard byteLength compare decode encode exactRange firstMs is lastMs layout lowerBound max min name pack parse ' +
  'pattern range storages tag textLength time timeMs unpack upperBound'
const PREFIXED = 'base fromGenerator generate generateAt generator monotonic prefix withoutPrefix withPrefix'

describe('an editor offers no internals after', () => {
  test.for<[Program, part: string, members: string]>([
    ['core', 'flax.;', `${FAMILY} generate generateAt generator monotonic`],
    ['core', 'sno.;', `${FAMILY} fromJson generate generateAt generator isZero meta toJson withMeta zero`],
    ['core', 'cus.;', `${FAMILY} ${PREFIXED}`],
    ['drizzle', 'flaxId.;', 'plain ref'],
    ['typeorm', 'FlaxIdColumn.;', 'plain'],
    [
      'kysely',
      'ids.;',
      // Kysely's own: transformQuery, transformResult.
      'checkColumns columnDefault columnType createdAfter createdAt createdBefore createdBetween find generate keyset ' +
        'transformQuery transformResult wasCreatedBetween',
    ],
  ])('%s: %s', ([name, part, members]) => {
    expect(completionsAfter(name, part)).toEqual(members.split(' ').sort())
  })
})
