import 'reflect-metadata'
import { accepting, type FlaxId, flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { FlaxIdColumn, IdColumn, idColumn, prepareDataSource, SnoIdColumn } from '@snoflax/typeorm'
import {
  ChildEntity,
  Column,
  DataSource,
  Entity,
  EntitySchema,
  JoinColumn,
  ManyToOne,
  type Relation,
  TableInheritance,
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { changesOf, databaseForTest, openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

const customerId = prefixed(flax, 'cus')

@Entity()
class Customer {
  @IdColumn(customerId, { check: true }) id!: Id<'cus'>
}
abstract class Person {
  @FlaxIdColumn({ check: true }) id!: FlaxId
}
@Entity()
class Supplier extends Person {}
@Entity()
class Partner extends Person {}
class Trace {
  @SnoIdColumn.plain({ check: true, nullable: true }) id!: SnoId | null
}
@Entity()
@TableInheritance({ column: { name: 'kind', type: 'varchar' } })
class Visit {
  @FlaxIdColumn({ check: true }) id!: FlaxId
  @Column(() => Trace) trace!: Trace
  @FlaxIdColumn.plain({ storage: 'binary', check: true, nullable: true }) code!: FlaxId | null
  // Two relations share the column, and one of them has its own copy.
  @FlaxIdColumn.plain({ prefix: 'cus', check: true, nullable: true }) customerId!: Id<'cus'> | null
  @ManyToOne(() => Customer) @JoinColumn({ name: 'customerId' }) customer!: Relation<Customer>
}
@ChildEntity()
class Referral extends Visit {
  @IdColumn.plain(customerId, { check: true, nullable: true, name: "sent By, 'us'" })
  sender!: Id<'cus'> | null
}
const invoiceIn = (schema: string | undefined) =>
  new EntitySchema<{ id: Id<'inv'>; past: Id<'cus'>; kept: string }>({
    name: 'invoice',
    ...(schema && { schema }),
    columns: {
      id: idColumn(flax, { prefix: 'inv', check: true }),
      past: idColumn.plain(customerId, { check: true, nullable: true }),
      kept: idColumn.plain(flax, {
        prefix: 'old',
        accept: /[a-z]{24}|user-\d{1,9}/,
        check: true,
        nullable: true,
      }),
    },
  })

const [other, short] = [prefixed(flax, 'ord').generate(), customerId.generate().slice(0, -1)]
const blob = (text: string) => `x'${Buffer.from(text).toString('hex')}'`
const quoted = (text: string) => `'${text}'`

describe.each(kinds.filter(({ name }) => name !== 'mysql'))('check: true in $name', (kind) => {
  const isSqlite = kind.name === 'sqlite'
  const Invoice = invoiceIn(isSqlite ? undefined : 'shop')
  const entities = [Customer, Supplier, Partner, Visit, Referral, Invoice]

  async function databaseWithShop() {
    const database = await databaseForTest(kind)
    if (!isSqlite) await database.query('CREATE SCHEMA shop')
    return database
  }

  test('refuses what other programs write, and nothing else', async () => {
    const dataSource = await openForTest(await databaseWithShop(), entities)
    const cus = customerId.generate()
    const wrong = [quoted(other), quoted(short), ...(isSqlite ? [blob(cus)] : [])]
    const id = flax.generate()
    const bytes = (input: Uint8Array) => {
      const hex = Buffer.from(input).toString('hex')
      return isSqlite ? `x'${hex}'` : `'\\x${hex}'`
    }
    const ofFlax = [quoted(id), [quoted(id.slice(1)), ...(isSqlite ? [blob(id)] : [])]] as [string, string[]]
    const cases: [entity: unknown, property: string, right: string, wrong: string[]][] = [
      [Customer, 'id', quoted(cus), wrong],
      [Supplier, 'id', ...ofFlax],
      [Partner, 'id', ...ofFlax],
      [Visit, 'id', ...ofFlax],
      [Visit, 'trace.id', quoted(sno.generate()), [quoted(short)]],
      [Visit, 'code', bytes(flax.decode(id)), [bytes(new Uint8Array(11)), ...(isSqlite ? [quoted(id)] : [])]],
      [Visit, 'customerId', quoted(cus), wrong],
      [Referral, 'sender', quoted(cus), wrong],
      [Invoice, 'id', quoted(prefixed(flax, 'inv').generate()), [...wrong, quoted(cus)]],
      [Invoice, 'past', quoted(cus), wrong],
    ]
    for (const entity of [Customer, Supplier, Partner, Referral, Invoice])
      await dataSource.getRepository(entity as typeof Customer).save({})
    expect(await dataSource.manager.findOneByOrFail(Referral, {})).toMatchObject({ code: null, sender: null })
    for (const [entity, property, right, refused] of cases) {
      const metadata = dataSource.getMetadata(entity as never)
      const column = metadata.findColumnWithPropertyPath(property)?.databaseName as string
      const table = metadata.tablePath.split('.').map(dataSource.driver.escape, dataSource.driver).join('.')
      const write = (value: string) =>
        dataSource.query(`UPDATE ${table} SET ${dataSource.driver.escape(column)} = ${value}`)
      for (const value of refused) {
        await expect(write(value), `${property} = ${value}`).rejects.toThrow(/check constraint/i)
      }
      await write(right)
    }
  })

  test('is written once, by migrations too', async () => {
    const database = await databaseWithShop()
    const empty = await openForTest(database, entities, { synchronize: false })
    const names = (await changesOf(empty)).join('\n').match(/"CHK_\w+"/g)
    expect(new Set(names).size).toBe(11)
    await empty.synchronize()
    expect(await changesOf(empty)).toEqual([])
    expect(await changesOf(await openForTest(database, entities))).toEqual([])
    const unchecked = await openForTest(database, [Person, Customer, Supplier, Partner], {
      synchronize: false,
    })
    expect(await changesOf(unchecked)).toEqual([])
  })

  test('is added to tables that are there, and dropped', async () => {
    const database = await databaseForTest(kind)
    const define = (check: boolean) =>
      new EntitySchema({
        name: 'thing',
        columns: { id: idColumn(flax, { check, prefix: 'cus' }) },
      })
    for (const check of [false, true, false]) {
      const dataSource = await openForTest(database, [define(check)])
      expect(await changesOf(dataSource)).toEqual([])
      const insert = dataSource.query(`INSERT INTO thing (id) VALUES ('${flax.generate()}')`)
      if (check) await expect(insert).rejects.toThrow(/check constraint/i)
      else await insert
      await dataSource.query('DELETE FROM thing')
    }
  })
})

/** A DataSource that is never connected. */
async function built(type: string, entities: EntitySchema[]): Promise<DataSource> {
  const dataSource = prepareDataSource(new DataSource({ type, database: 'none', entities } as never))
  await (dataSource as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas()
  return dataSource
}

test('no CHECK of a uuid, whose type says it all', async () => {
  const columns = { id: idColumn(flax, { check: true, storage: 'uuid' }) }
  const { entityMetadatas } = await built('postgres', [new EntitySchema({ name: 'Thing', columns })])
  expect(entityMetadatas[0]?.checks).toEqual([])
})

test.each([
  ['mysql', 'flax: TypeORM writes no CHECK in mysql; leave check: true out, and add', {}],
  ['mariadb', 'flax: TypeORM writes no CHECK in mariadb; leave check: true out, and add', {}],
  ['postgres', 'flax: TypeORM writes no CHECK of arrays; leave check: true out, and add', { array: true }],
  ['postgres', "flax: check: true can't write /(?=x)x/ as a CHECK", { accept: /(?=x)x/ }],
  ['better-sqlite3', "flax: check: true can't write /(?=x)x/ as a CHECK", { accept: /(?=x)x/ }],
])('in %s: %s', async (type, message, options) => {
  const Thing = new EntitySchema({
    name: 'Thing',
    columns: { id: idColumn(flax), other: idColumn.plain(flax, { check: true, ...options }) },
  })
  await expect(built(type, [Thing])).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    path: 'Thing.other',
    message: expect.stringContaining(`Thing.other: ${message}`),
  })
})

test('refused of a property whose target accepts other keys', async () => {
  const key = accepting(flax, /(?=[a-z])[a-z]{24}/)
  const Parent = new EntitySchema({ name: 'Parent', columns: { id: idColumn(key) } })
  const Child = new EntitySchema<{ id: FlaxId; parentId: FlaxId; parent: unknown }>({
    name: 'Child',
    columns: { id: idColumn(flax), parentId: idColumn.plain(flax, { check: true }) },
    relations: { parent: { type: 'many-to-one', target: 'Parent' } },
  })
  await expect(built('better-sqlite3', [Parent, Child])).rejects.toMatchObject({
    path: 'Child.parentId',
    message: expect.stringContaining("check: true can't write /(?=[a-z])[a-z]{24}/ as a CHECK"),
  })
})
