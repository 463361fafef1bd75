import { converts, type NewCustomer } from '@snoflax/test/contract'
import { type CustomerEntity, paths, type Session } from './entities.js'

/** A row as a plain object that TypeORM may write into. */
const plain = (row: NewCustomer): Partial<CustomerEntity> => ({ ...row })
const idsOf = (entities: readonly { readonly id?: unknown }[]) => entities.map(({ id }) => id as string)

export const inserts = paths<'inserts'>({
  'repository.save()': async ({ customers }, rows) => {
    const saved: CustomerEntity[] = []
    for (const row of rows) saved.push(await customers.save(customers.create(plain(row))))
    return idsOf(saved)
  },
  'repository.save([…])': async ({ customers }, rows) =>
    idsOf(await customers.save(rows.map((row) => customers.create(plain(row))))),
  'save of plain objects': async ({ customers }, rows) => idsOf(await customers.save(rows.map(plain))),
  'save, in chunks and without listeners': async ({ customers }, rows) =>
    idsOf(await customers.save(rows.map(plain), { listeners: false, chunk: 2 })),
  'save, without reload': async ({ customers }, rows) =>
    idsOf(await customers.save(rows.map(plain), { reload: false })),
  'save, without reload and listeners': async ({ customers }, rows) =>
    idsOf(await customers.save(rows.map(plain), { reload: false, listeners: false })),
  'repository.insert([…])': async ({ customers }, rows) =>
    idsOf((await customers.insert([...rows] as CustomerEntity[])).identifiers),
  'insert in a transaction': async ({ dataSource }, rows) =>
    dataSource.transaction(async (manager) =>
      idsOf((await manager.insert('Customer', [...rows])).identifiers),
    ),
  'query builder': async ({ dataSource }, rows) => {
    const builder = dataSource
      .createQueryBuilder()
      .insert()
      .into('Customer')
      .values([...rows])
    return idsOf((await builder.execute()).identifiers)
  },
  'query builder, columns named, entities not updated': async ({ dataSource }, rows) => {
    const columns = ['email', 'name', 'traceId', 'referrerId']
    const builder = dataSource
      .createQueryBuilder()
      .insert()
      .into('Customer', columns)
      .values([...rows])
    return idsOf((await builder.updateEntity(false).execute()).identifiers)
  },
  'query builder, duplicates ignored': async ({ dataSource }, rows) => {
    const builder = dataSource
      .createQueryBuilder()
      .insert()
      .into('Customer')
      .values([...rows])
    return idsOf((await builder.orIgnore().execute()).identifiers)
  },
})

export const upserts = paths<'upserts'>({
  'repository.upsert()': async (session, row) => {
    const entity = plain(row)
    const { identifiers } = await session.customers.upsert(entity as CustomerEntity, ['email'])
    return written(session, identifiers[0]?.['id'], entity)
  },
  'query builder, orUpdate()': async (session, row) => {
    const entity = plain(row)
    const builder = session.dataSource.createQueryBuilder().insert().into('Customer').values(entity)
    const { identifiers } = await builder.orUpdate(['name', 'trace_id'], ['email']).execute()
    return written(session, identifiers[0]?.['id'], entity)
  },
})

/** What the result and the object say must be the same. Without RETURNING, TypeORM doesn't learn the stored id. */
async function written(
  { customers, dataSource }: Session,
  inResult: unknown,
  { id, email }: Partial<CustomerEntity>,
): Promise<string> {
  if (inResult !== id) throw new Error(`the result has id ${inResult}, the object ${id}`)
  if (dataSource.driver.isReturningSqlSupported('insert')) return id as string
  return (await customers.findOneByOrFail({ email: email as string })).id
}

export const graphs = paths<'graphs'>({
  'cascades of save()': async ({ customers }, graph) =>
    (await customers.save(customers.create(structuredClone(graph) as CustomerEntity))).id,
  'cascades of a plain object, without listeners and reload': async ({ customers }, graph) => {
    const saved = await customers.save(structuredClone(graph) as CustomerEntity, {
      listeners: false,
      reload: false,
    })
    return saved.id
  },
})

export const updates = paths<'updates'>({
  'repository.update(id)': async ({ customers }, id, change) => void (await customers.update(id, change)),
  'repository.update({ id })': async ({ customers }, id, change) =>
    void (await customers.update({ id }, change)),
  'preload and save': async ({ customers }, id, change) => {
    const loaded = await customers.preload({ id, ...change })
    if (!loaded) throw new Error(`customer ${id} not found`)
    await customers.save(loaded)
  },
  'save of a part': {
    run: async ({ customers }, id, change) => void (await customers.save({ id, ...change })),
    unchecked: (variant) => (converts(variant) ? undefined : 'save() checks what it writes'),
  },
  'query builder': async (session, id, change) => {
    const builder = session.dataSource.createQueryBuilder().update('Customer').set(change)
    await builder.where('id = :id', { id: session.bound(id) }).execute()
  },
})

export const deletes = paths<'deletes'>({
  'repository.delete([…])': async ({ customers }, ids) => void (await customers.delete([...ids])),
  'repository.remove()': async ({ customers }, ids) => {
    await customers.remove(ids.map((id) => customers.create({ id })))
  },
  'query builder': async (session, input) => {
    const ids = input.map((id) => session.bound(id))
    const builder = session.dataSource.createQueryBuilder().delete().from('Customer')
    await builder.where('id IN (:...ids)', { ids }).execute()
  },
  whereInIds: async ({ dataSource }, ids) => {
    await dataSource.createQueryBuilder().delete().from('Customer').whereInIds(ids).execute()
  },
})

const relation = ({ dataSource }: Session, property: string, id: string) =>
  dataSource.createQueryBuilder().relation('Order', property).of(id)

export const links = paths<'links'>({
  'relation().of(id).add(id)': (session, order, tag) => relation(session, 'tags', order).add(tag),
  'relation().of(entity).add(entity)': ({ dataSource }, order, tag) =>
    dataSource.createQueryBuilder().relation('Order', 'tags').of({ id: order }).add({ id: tag }),
  'save with the related row': async ({ orders }, id, tag) => {
    const order = await orders.findOneOrFail({ where: { id }, relations: { tags: true } })
    order.tags.push({ id: tag } as OrderTag)
    await orders.save(order)
  },
})

type OrderTag = Session['orders'] extends { create(): { tags: (infer Tag)[] } } ? Tag : never

export const unlinks = paths<'unlinks'>({
  'relation().of(id).remove(id)': (session, order, tag) => relation(session, 'tags', order).remove(tag),
  'relation().of(entity).addAndRemove': ({ dataSource }, order, tag) =>
    dataSource
      .createQueryBuilder()
      .relation('Order', 'tags')
      .of({ id: order })
      .addAndRemove([], [{ id: tag }]),
})

export const around = paths<'around'>({
  'dataSource.query()': ({ dataSource }, { email, name }) =>
    dataSource.query(`INSERT INTO customers (email, name) VALUES ('${email}', '${name}')`),
})
