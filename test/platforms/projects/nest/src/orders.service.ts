import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { type FlaxId, flax } from '@snoflax/core'
import type { Repository } from 'typeorm'
import { Order } from './order'

@Injectable()
export class OrdersService {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  add(what: string): Promise<Order> {
    return this.orders.save({ what })
  }

  find(id: string): Promise<Order> {
    return this.orders.findOneByOrFail({ id: flax.parse(id) })
  }

  findUnchecked(id: FlaxId): Promise<Order | null> {
    return this.orders.findOneBy({ id })
  }

  bytes(): Promise<{ readonly bytes: number }[]> {
    return this.orders.query('SELECT length(id) AS bytes FROM "order"')
  }
}
