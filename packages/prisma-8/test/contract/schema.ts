import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Variant } from '@snoflax/test/contract'
import { Project } from '../project.js'

const STORAGES: Readonly<Partial<Record<Variant['database'], readonly string[]>>> = {
  postgres: ['uuid', 'text', 'bigint', 'uuid8'],
  sqlite: ['text'],
}

const capitalized = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`

/** The column type of a variant: the first storage of a family takes the bare name. */
function typeOf({ database, family, storage }: Variant): string {
  const [first] = family.storages.filter((each) => STORAGES[database]?.includes(each))
  return `snoflax.${capitalized(family.name)}${storage === first ? '' : capitalized(storage)}()`
}

function contract(variant: Variant): string {
  const type = typeOf(variant)
  const key = `@id @default(${variant.family.name}())`
  return `// use prisma-8

types {
  RowId = ${type}
}

model Customer {
  id         RowId      ${key}
  email      String     @unique
  name       String
  traceId    RowId?     @map("trace_id")
  referrerId RowId?     @map("referrer_id")
  referrer   Customer?  @relation("referrals", fields: [referrerId], references: [id])
  referred   Customer[] @relation("referrals")
  profile    Profile?
  orders     Order[]
  @@map("customers")
}

model Profile {
  id         RowId    ${key}
  bio        String
  customerId RowId    @unique @map("customer_id")
  customer   Customer @relation(fields: [customerId], references: [id])
  @@map("profiles")
}

model Order {
  id         RowId       ${key}
  total      Int
  customerId RowId       @map("customer_id")
  customer   Customer    @relation(fields: [customerId], references: [id])
  lines      OrderLine[]
  ties       OrderTag[]
  @@map("orders")
}

model OrderLine {
  orderId  RowId @map("order_id")
  position Int
  quantity Int
  order    Order @relation(fields: [orderId], references: [id])
  @@id([orderId, position])
  @@map("order_lines")
}

model Tag {
  id    RowId      ${key}
  label String     @unique
  ties  OrderTag[]
  @@map("tags")
}

model OrderTag {
  orderId RowId @map("order_id")
  tagId   RowId @map("tag_id")
  order   Order @relation(fields: [orderId], references: [id])
  tag     Tag   @relation(fields: [tagId], references: [id])
  @@id([orderId, tagId])
  @@map("orders_tags")
}
`
}

/** The contract's schema, as Prisma's command emits it. */
export async function emitted(variant: Variant): Promise<unknown> {
  const project = new Project(join(import.meta.dirname, '..', variant.database), 'none')
  const folder = join(project.folder, `generated-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder)
  const path = join(folder, 'contract.prisma')
  writeFileSync(path, contract(variant))
  const { ok, error } = await project.prismaWith({ CONTRACT: path, OUTPUT: folder }, 'contract', 'emit')
  if (!ok) throw new Error(JSON.stringify(error))
  const json = JSON.parse(readFileSync(join(folder, 'contract.json'), 'utf8'))
  rmSync(folder, { recursive: true })
  return json
}
