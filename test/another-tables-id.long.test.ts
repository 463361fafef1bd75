import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateProject, projectOf } from '../packages/prisma-extension/test/project/generate.js'
import { blocksOf, section } from './snippets/page.js'
import { typeErrors } from './snippets/type-errors.js'
import { at } from './workspace.js'

// What the pages say of an order's id in place of a customer's, which `order.id` and `ada.id` are.

const page = (path: string) => readFileSync(at(path), 'utf8')
const firstBlock = (name: string, language = 'ts') =>
  blocksOf(page(`packages/${name}/README.md`), language)[0] as string

const DRIZZLE = `
import { fromDatabase, idColumn, keyset, parameter, placeholder } from '@snoflax/drizzle/pg-core'
import { between, eq, inArray, like, ne, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
${firstBlock('drizzle')}
declare const order: typeof orders.$inferSelect
declare const ada: typeof customers.$inferSelect
const db = drizzle.mock()
const byId = db.select().from(customers).where(eq(customers.id, placeholder(customers.id, 'id'))).prepare('byId')
`
const KYSELY = `
import { type Kysely, type Selectable, sql } from 'kysely'
${firstBlock('kysely')}
declare const db: Kysely<Database>
declare const order: Selectable<Database['orders']>
declare const ada: Selectable<Database['customers']>
`
const TYPEORM = `
import { keyset, parameter } from '@snoflax/typeorm'
import { Any, Between, Equal, In, type Repository, MoreThan, Not, Raw } from 'typeorm'
${firstBlock('typeorm')}
declare const customers: Repository<Customer>
declare const orders: Repository<Order>
declare const order: Order
declare const ada: Customer
`
const MIKRO_ORM = `
import { sql } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { keyset } from '@snoflax/mikro-orm'
${firstBlock('mikro-orm')}
type Customer = InferEntity<typeof Customer>
declare const em: SqlEntityManager
declare const order: Order
declare const ada: Customer
`
const PRISMA = `
import { keyset } from '@snoflax/prisma-extension'
import { PrismaClient } from './client/client.ts'
import { cusId, parameter, snoflax } from './snoflax/index.ts'
declare const bare: PrismaClient
const prisma = bare.$extends(snoflax())
const order = await prisma.order.findFirstOrThrow()
const ada = await prisma.customer.findFirstOrThrow()
`
const prismaProject = () =>
  generateProject(projectOf(/^model [\s\S]*/m.exec(firstBlock('prisma-extension', 'prisma'))?.[0] as string))

const ORMS: readonly (readonly [
  orm: string,
  name: string,
  surroundings: string,
  folder: () => Promise<string>,
])[] = [
  ['Drizzle', 'drizzle', DRIZZLE, async () => at('packages/drizzle/test')],
  ['Kysely', 'kysely', KYSELY, async () => at('packages/kysely/test')],
  ['TypeORM', 'typeorm', TYPEORM, async () => at('packages/typeorm/test')],
  ['MikroORM', 'mikro-orm', MIKRO_ORM, async () => at('packages/mikro-orm/test')],
  ['Prisma', 'prisma-extension', PRISMA, prismaProject],
]

/** Code within a text that names an id or a table of these. */
const codeIn = (text: string): string[] =>
  [...text.matchAll(/(`+) ?(.+?) ?\1(?!`)/gs)].flatMap(([, , code = '']) =>
    /\b(?:order|ada)\.id|orders\b|\binput\b/.test(code) ? [code.replaceAll(/\s+/g, ' ')] : [],
  )

const rows =
  page('docs/never.md')
    .match(/^\| .*$/gm)
    ?.slice(2) ?? []

describe.each(ORMS)('%s', (orm, name, surroundings, folderOf) => {
  const [refused = '', accepted = ''] = section(
    page(`packages/${name}/README.md`),
    "Another table's id",
  ).split(/^The compiler accepts/m)
  const messages = rows.flatMap((row) => {
    const [, who, code = '', told = ''] = row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'))
    return who === orm ? codeIn(code).map((code) => ({ code, told })) : []
  })
  const codes = {
    refused: codeIn(refused),
    right: codeIn(refused).map((code) => code.replaceAll(/\border\.id\b(?!:)/g, 'ada.id')),
    accepted: codeIn(accepted),
    never: messages.map(({ code }) => code),
  }
  let errors: ReadonlyMap<string, string>

  beforeAll(async () => {
    const all = [...new Set(Object.values(codes).flat())]
    const lines = all.map((code, index) => `export const line${index} = () => ${code}`)
    const file = `${await folderOf()}/another-tables-id.ts`
    const declared = `${surroundings}declare const input: string\n`
    const found = typeErrors(new Map([[file, `${declared}${lines.join('\n')}\n`]]))
    const errorAt = (line: string) => found.find((error) => error.startsWith(`${file}: ${line}: `))
    errors = new Map(all.map((code, index) => [code, errorAt(lines[index] as string) ?? '']))
    const told = [...errors.values()]
    expect(found.filter((error) => !told.includes(error))).toEqual([])
  })
  const refusedOf = (list: readonly string[]) => list.filter((code) => errors.get(code))

  test('refuses what its page says, and only for the id', () => {
    expect(codes.refused.length).toBeGreaterThan(4)
    expect(refusedOf(codes.refused)).toEqual(codes.refused)
    expect(refusedOf(codes.right)).toEqual([])
  })

  test('accepts what its page says', () => {
    expect(codes.accepted.length).toBeGreaterThan(2)
    expect(refusedOf(codes.accepted)).toEqual([])
  })

  test('gives the messages of docs/never.md', () => {
    expect(messages).not.toEqual([])
    for (const { code, told } of messages)
      for (const [, text = ''] of told.matchAll(/`([^`]+)`/g)) expect(errors.get(code)).toContain(text)
  })
})
