import { type StorageName, storageFor } from '@snoflax/core'
import type { Configuration } from '@snoflax/prisma-extension'
import type { Variant } from '@snoflax/test/contract'
import { type ProjectFiles, projectOf } from '../project/generate.js'

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

const PROVIDERS = {
  sqlite: ['sqlite', SQLITE_TYPES],
  postgres: ['postgresql', POSTGRES_TYPES],
  pglite: ['postgresql', POSTGRES_TYPES],
} as const

const MYSQL_TYPES: Readonly<Record<string, string>> = {
  char: 'String @db.Char',
  varchar: 'String @db.VarChar',
  binary: 'Bytes @db.Binary',
  varbinary: 'Bytes @db.VarBinary',
  bigint: 'BigInt @db.UnsignedBigInt',
}

function mysqlType({ family, storage }: Pick<Variant, 'storage' | 'family'>): string {
  const { type, length } = storageFor(family, 'mysql', { storage }).column
  return `${MYSQL_TYPES[type]}${length === undefined ? '' : `(${length})`}`
}

/** The contract's schema. Storages of one column type share the files, so they share the generated client. */
export function contractProject({ database, storage, family }: Variant): ProjectFiles {
  const [provider, types] = database === 'mysql' ? ['mysql'] : PROVIDERS[database]
  const [type, native = ''] = (types?.[storage] ?? mysqlType({ family, storage })).split(' ')
  // Configurations are written by hand; where it can, the generator reads the schema too.
  const comment = types ? `/// @snoflax ${storage === 'bigint' ? 'flake' : 'flax'}` : ''
  const id = `${type} @id @default(dbgenerated()) ${native} ${comment}`
  return projectOf(
    `
model Customer {
  id         ${id}
  email      String     @unique
  name       String
  traceId    ${type}?   @map("trace_id") ${native} ${comment}
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
}`,
    { provider, options: types ? '' : null },
  )
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
