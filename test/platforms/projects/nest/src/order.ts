import type { FlaxId } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { Column, Entity } from 'typeorm'

@Entity()
export class Order {
  @FlaxIdColumn({ storage: 'binary' })
  id: FlaxId

  @Column()
  what: string
}
