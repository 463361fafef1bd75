import type { StorageName } from '@snoflax/core'
import type { Configuration } from '@snoflax/prisma-extension'
import type { Variant } from '@snoflax/test/contract'
import { PROVIDER, type ProjectFiles } from '../project/generate.js'

const SQLITE_TYPES: Partial<Record<StorageName, string>> = {
  text: 'String',
  binary: 'Bytes',
  bigint: 'BigInt',
}
const POSTGRES_TYPES: Partial<Record<StorageName, string>> = {
  ...SQLITE_TYPES,
  uuid: 'String @db.Uuid',
  uuid8: 'String @db.Uuid',
}

const MYSQL_TYPES: Partial<Record<StorageName, string>> = {
  text: 'String @db.VarChar(40)',
  binary: 'Bytes @db.VarBinary(16)',
  bigint: 'BigInt @db.UnsignedBigInt',
}
const PROVIDERS = {
  sqlite: ['sqlite', SQLITE_TYPES],
  postgres: ['postgresql', POSTGRES_TYPES],
  pglite: ['postgresql', POSTGRES_TYPES],
  mysql: ['mysql', MYSQL_TYPES],
} as const

/** The contract's schema. Storages of one column type share the files, so they share the generated client. */
export function contractProject({ database, storage }: Pick<Variant, 'database' | 'storage'>): ProjectFiles {
  const [provider, types] = PROVIDERS[database]
  const [type, native = ''] = (types[storage] as string).split(' ')
  const family = storage === 'bigint' ? 'flake' : 'flax'
  // Which the tests give to all tables.
  const collation = database === 'mysql' && storage === 'text' ? 'collation=utf8mb4_bin' : ''
  const id = `${type} @id @default(dbgenerated()) ${native} /// @snoflax ${family} ${collation}`
  return {
    'schema/schema.prisma': `
generator client {
  provider = "prisma-client"
  output   = "../client"
}
generator snoflax {
  provider = "${PROVIDER}"
  output   = "../snoflax"
}
datasource db {
  provider = "${provider}"
}
model Customer {
  id         ${id}
  email      String     @unique
  name       String
  traceId    ${type}?   @map("trace_id") ${native} /// @snoflax ${family} ${collation}
  referrerId ${type}?   @map("referrer_id") ${native}
  referrer   Customer?  @relation("referrals", fields: [referrerId], references: [id])
  referred   Customer[] @relation("referrals")
  profile    Profile?
  orders     Order[]
  @@map("customers")
}
model Profile {
  id         ${id}
  bio        String
  customerId ${type}  @unique @map("customer_id") ${native}
  customer   Customer @relation(fields: [customerId], references: [id])
  @@map("profiles")
}
model Order {
  id         ${id}
  total      Int
  customerId ${type}     @map("customer_id") ${native}
  customer   Customer    @relation(fields: [customerId], references: [id])
  lines      OrderLine[]
  tags       Tag[]
  @@map("orders")
}
model OrderLine {
  orderId  ${type} @map("order_id") ${native}
  position Int
  quantity Int
  order    Order   @relation(fields: [orderId], references: [id])
  @@id([orderId, position])
  @@map("order_lines")
}
model Tag {
  id     ${id}
  label  String  @unique
  orders Order[]
  @@map("tags")
}
`,
  }
}

/** The configuration of the same schema, written by hand: that is how a family of any variant gets in. */
export function contractConfiguration({ database, storage, family }: Variant): Configuration {
  const key = { family, storage, generated: true }
  const plain = { family, storage }
  return {
    database: database === 'pglite' ? 'postgres' : database,
    models: {
      Customer: { id: key, traceId: plain, referrerId: plain },
      Profile: { id: key, customerId: plain },
      Order: { id: key, customerId: plain },
      OrderLine: { orderId: plain },
      Tag: { id: key },
    },
  }
}
