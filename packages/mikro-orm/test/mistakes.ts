import { EntitySchema } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/sqlite'
import { type FlaxId, flake } from '@snoflax/core'
import { flaxId, idProperty, keyset, snoId } from '@snoflax/mikro-orm'
import { type Mistakes, WRONG } from '@snoflax/test/contract'

/** Runs on an entity `Order` with this id. */
async function orders(
  id: ReturnType<typeof flaxId>,
  work: (em: MikroORM['em'], Order: EntitySchema<{ id: FlaxId }>) => Promise<unknown> = async () => {},
): Promise<unknown> {
  const Order = new EntitySchema<{ id: FlaxId }>({ name: 'Order', properties: { id } })
  const orm = await MikroORM.init({ entities: [Order], dbName: ':memory:' })
  try {
    return await work(orm.em.fork(), Order)
  } finally {
    await orm.close()
  }
}

const inserted = (id: FlaxId) => orders(flaxId(), (em, Order) => em.insert(Order, { id }))

export default {
  'no generator': () => idProperty(flake),
  'no such generator': () => flaxId({ generator: WRONG.notAGenerator }),
  'generator of another family': () => flaxId({ generator: WRONG.ofAnotherFamily }),
  'generator of another epoch': () =>
    idProperty(WRONG.laterFlake as typeof flake, { generator: WRONG.ofAnotherEpoch }),
  'meta where ids carry none': () => flaxId({ meta: 3 } as object),
  'meta above 255': () => snoId({ meta: 256 }),
  'default of the database outside PostgreSQL': () => orders(flaxId({ default: 'database' })),
  'schema that needs quotes': () => flaxId({ default: 'database', schema: 'Ids' }),
  'order in upper case': () =>
    orders(flaxId(), async (_, Order) => keyset(Order, { order: 'DESC' as 'desc', take: 1 })),
  'page of no rows': () => orders(flaxId(), async (_, Order) => keyset(Order, { take: 0 })),
  'storage that the database lacks, where none converts': () => orders(flaxId({ storage: 'uuid' })),
  'column of ids that are checked by time': () =>
    orders(idProperty(WRONG.ofOneRoute) as ReturnType<typeof flaxId>),
  'malformed id': () => inserted(WRONG.malformedId as FlaxId),
  'id of another type': () => inserted(WRONG.idOfAnotherType),
} satisfies Mistakes
