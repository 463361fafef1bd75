import { PROVIDER, type ProjectFiles } from '../project/generate.js'

export interface ShopOptions {
  readonly database: 'postgresql' | 'sqlite'
  readonly client?: 'prisma-client' | 'prisma-client-js'
  readonly brands?: 'strict' | 'results'
}

/**
 * A schema with every kind of relation and every kind of column that ids can have, in several files:
 *
 * one-to-many, one-to-one by the same key, many-to-many implicit, explicit and of a model with itself, trees,
 * composite keys and foreign keys, a model without ids in between, a view, enums, maps.
 */
export function shopProject({
  database,
  client = 'prisma-client',
  brands = 'results',
}: ShopOptions): ProjectFiles {
  const isPostgres = database === 'postgresql'
  const uuid = isPostgres ? '@db.Uuid' : ''
  const uuid8 = isPostgres ? 'storage=uuid8' : ''
  const list = isPostgres ? `mentions String[] ${uuid} /// @snoflax flax` : ''
  return {
    'schema/main.prisma': `
generator client {
  provider        = "${client}"
  output          = "../client"
  previewFeatures = ["views", "typedSql"${isPostgres ? ', "relationJoins"' : ''}]
}
generator snoflax {
  provider = "${PROVIDER}"
  output   = "../snoflax"
  brands   = "${brands}"
  families = "@snoflax/families"
}
generator dmmf {
  provider = "dmmf"
  output   = "../dmmf"
}
datasource db {
  provider = "${database}"
}
enum Status {
  open
  paid
}
`,
    'schema/people.prisma': `
/// Somebody who buys.
model Customer {
  /// The key, which tells when the customer came.
  /// @snoflax flax createdAt=since
  id         String       @id @default(dbgenerated()) @map("customer_id") ${uuid}
  name       String
  traceId    String?      @unique ${uuid} /// @snoflax sno
  referrerId String?      ${uuid}
  referrer   Customer?    @relation("referrals", fields: [referrerId], references: [id])
  referred   Customer[]   @relation("referrals")
  friends    Customer[]   @relation("friends")
  friendOf   Customer[]   @relation("friends")
  country    Country?     @relation(fields: [land], references: [code])
  land       String?
  profile    Profile?
  orders     Order[]
  groups     Membership[]
  ${list}
  @@map("customers")
}
model Profile {
  customerId String   @id ${uuid}
  customer   Customer @relation(fields: [customerId], references: [id])
  bio        String
  data       Int      @default(0)
}
model Country {
  code      String     @id
  customers Customer[]
}
model Group {
  id      BigInt       @id @default(dbgenerated()) /// @snoflax flake
  name    String       @unique
  members Membership[]
}
model Membership {
  customerId String   ${uuid}
  groupId    BigInt
  role       String
  customer   Customer @relation(fields: [customerId], references: [id])
  group      Group    @relation(fields: [groupId], references: [id])
  @@id([customerId, groupId], name: "member")
}
`,
    'schema/orders.prisma': `
model Order {
  id         String      @id @default(dbgenerated()) ${uuid} /// @snoflax sno meta=2 createdAt
  status     Status      @default(open)
  customerId String      ${uuid}
  customer   Customer    @relation(fields: [customerId], references: [id])
  lines      OrderLine[]
  tags       Tag[]
  total      Int         @default(0)
  note       Json?
  @@unique([customerId, total])
}
model OrderLine {
  orderId   String     ${uuid}
  position  Int
  productId Bytes
  order     Order      @relation(fields: [orderId], references: [id])
  product   Product    @relation(fields: [productId], references: [id])
  shipments Shipment[]
  @@id([orderId, position])
}
model Shipment {
  id       String    @id @default(dbgenerated()) ${uuid} /// @snoflax uid ${uuid8}
  orderId  String    ${uuid}
  position Int
  line     OrderLine @relation(fields: [orderId, position], references: [orderId, position])
}
model Product {
  id         Bytes       @id @default(dbgenerated()) /// @snoflax sno
  name       String      @unique
  lines      OrderLine[]
  categoryId String?
  category   Category?   @relation(fields: [categoryId], references: [id])
}
model Category {
  id       String     @id @default(dbgenerated()) /// @snoflax uidLocal
  name     String
  parentId String?
  parent   Category?  @relation("tree", fields: [parentId], references: [id])
  children Category[] @relation("tree")
  products Product[]
}
model Tag {
  id     Bytes   @id @default(dbgenerated()) /// @snoflax flax
  label  String  @unique
  orders Order[]
}
model Log {
  number Int    @id @default(autoincrement())
  line   String
}
view OrderSummary {
  orderId    String @unique ${uuid} /// @snoflax sno
  customerId String ${uuid} /// @snoflax flax
  lines      Int
}
`,
  }
}
