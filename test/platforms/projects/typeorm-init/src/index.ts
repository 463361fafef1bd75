import 'reflect-metadata'
import { equal, rejects } from 'node:assert/strict'
import { type FlaxId, IdError } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { Column, DataSource, Entity } from 'typeorm'

@Entity('order')
class Order {
  @FlaxIdColumn({ storage: 'binary' })
  id: FlaxId

  @Column('varchar')
  what: string
}

const source = new DataSource({ type: 'sqljs', entities: [Order], synchronize: true })

async function main(): Promise<void> {
  await source.initialize()
  const orders = source.getRepository(Order)
  const { id } = await orders.save({ what: 'tea' })
  const [stored] = await source.query('SELECT length(id) AS bytes FROM "order"')
  equal(stored.bytes, 12)
  equal((await orders.findOneByOrFail({ id })).what, 'tea')
  await rejects(orders.findOneBy({ id: 'tea' as FlaxId }), IdError)
  console.log(`stored, found and refused an id like ${id}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
