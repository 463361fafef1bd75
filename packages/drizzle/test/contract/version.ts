import * as drizzle from 'drizzle-orm'

// What differs between Drizzle 0.45 and 1.0 for whoever uses it. The types here are those of 0.45.

/** Which Drizzle the tests run with, as in the names of installed packages; by default the newest 0.45. */
export const VERSION = process.env['SNOFLAX_DRIZZLE'] ?? ''
export const isBefore1 = !VERSION.startsWith('1.')

const { defineRelations } = drizzle as unknown as {
  readonly defineRelations: (tables: object, relations: (r: Related) => object) => object
}

type Columns = Readonly<Record<string, object>>
type Relate = Readonly<Record<string, (config?: object) => object>>
type Related = Readonly<Record<string, Columns>> & { readonly one: Relate; readonly many: Relate }

/** Of Drizzle 0.45; in 1.0 {@link related} takes the place of all of them. */
export const relations: typeof drizzle.relations = isBefore1
  ? drizzle.relations
  : (((table: object) => ({ table, config: undefined })) as never)

/** The contract's schema with its relations, as `drizzle()` takes it. */
export function related<Schema extends object>(schema: Schema): { readonly schema: Schema } {
  if (isBefore1) return { schema }
  const tables = Object.fromEntries(
    Object.entries(schema).filter(([, one]) => drizzle.is(one, drizzle.Table)),
  )
  const relations = defineRelations(tables, ({ one, many, ...r }) => {
    const { customers, profiles, orders, orderLines, ordersToTags, tags } = r as Record<string, Columns>
    return {
      customers: {
        referrer: one['customers']?.({ from: customers?.['referrerId'], to: customers?.['id'] }),
        profile: one['profiles']?.({ from: customers?.['id'], to: profiles?.['customerId'] }),
        orders: many['orders']?.(),
      },
      orders: {
        customer: one['customers']?.({ from: orders?.['customerId'], to: customers?.['id'] }),
        lines: many['orderLines']?.({ from: orders?.['id'], to: orderLines?.['orderId'] }),
        ties: many['ordersToTags']?.({ from: orders?.['id'], to: ordersToTags?.['orderId'] }),
      },
      ordersToTags: { tag: one['tags']?.({ from: ordersToTags?.['tagId'], to: tags?.['id'] }) },
    }
  })
  return { relations } as never
}

/** A condition of `db.query`. */
export const raw = <Condition>(condition: Condition): Condition =>
  isBefore1 ? condition : ({ RAW: condition } as Condition)
