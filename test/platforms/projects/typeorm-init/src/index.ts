import 'reflect-metadata'
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { type FlaxId, type Id, IdError } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { Column, DataSource, Entity } from 'typeorm'

@Entity('order')
class Order {
  @FlaxIdColumn({ storage: 'binary' })
  id: FlaxId

  @Column('varchar')
  what: string
}

@Entity('customer')
class Customer {
  @FlaxIdColumn({ prefix: 'cus' })
  id: Id<'cus'>

  @Column('varchar')
  name: string
}

const source = new DataSource({ type: 'sqljs', entities: [Order, Customer], synchronize: true })

async function main(): Promise<void> {
  await source.initialize()
  const orders = source.getRepository(Order)
  const { id } = await orders.save({ what: 'tea' })
  const [stored] = await source.query('SELECT length(id) AS bytes FROM "order"')
  equal(stored.bytes, 12)
  equal((await orders.findOneByOrFail({ id })).what, 'tea')
  await rejects(orders.findOneBy({ id: 'tea' as FlaxId }), IdError)
  // Text: everybody who asks the database sees the id of the code.
  const customer = await source.getRepository(Customer).save({ name: 'Ada' })
  await source.query('CREATE VIEW shown AS SELECT * FROM customer')
  const json = "json_group_array(json_object('id', id)) AS json"
  const [told] = await source.query(`SELECT id, ${json} FROM shown WHERE id = '${customer.id}'`)
  deepEqual(told, { id: customer.id, json: JSON.stringify([{ id: customer.id }]) })
  console.log(`stored, found and refused an id like ${id}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
