import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { flake, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { type AnyClient, clientOf, pushSchema } from '../project/clients.js'
import { generateProject } from '../project/generate.js'
import { type ShopOptions, shopProject } from './schema.js'

export interface Shop {
  readonly folder: string
  readonly database: OpenDatabase
  /** With the extension. */
  readonly prisma: AnyClient
  readonly bare: AnyClient
  /** The generated module. */
  readonly generated: AnyClient
  close(): Promise<void>
}

export const generators = {
  sno: sno.generator({ partition: 7 }),
  flake: flake.generator({ datacenter: 1, worker: 2 }),
  uid: uid.generator({ node: 'shop' }),
  uidLocal: uidLocal.generator(),
}

const SUMMARY = `CREATE VIEW "OrderSummary" AS
  SELECT o.id AS "orderId", o."customerId", CAST(count(l.position) AS INTEGER) AS lines
    FROM "Order" o LEFT JOIN "OrderLine" l ON l."orderId" = o.id GROUP BY o.id, o."customerId"`

export async function openShop(options: ShopOptions): Promise<Shop> {
  const folder = await generateProject(shopProject(options))
  const database = await (options.database === 'sqlite' ? sqlite : postgres).open()
  await pushSchema(folder, database)
  await database.query(SUMMARY)
  const bare = await clientOf(folder, database)
  const generated = await generatedModule(folder)
  return {
    folder,
    database,
    bare,
    generated,
    prisma: bare.$extends(generated.snoflax({ generators })),
    close: async () => {
      await bare.$disconnect()
      await database.close()
    },
  }
}

/** The module that our generator wrote. */
export async function generatedModule(folder: string): Promise<AnyClient> {
  const file = join(folder, 'snoflax/index.ts')
  return import(existsSync(file) ? file : join(folder, 'snoflax/index.js'))
}
