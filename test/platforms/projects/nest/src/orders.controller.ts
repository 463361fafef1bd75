import { Controller, Get, Inject, Param } from '@nestjs/common'
import { type FlaxId, flax, storageFor } from '@snoflax/core'
import { IdPipe } from '@snoflax/validators/nest'
import { OrdersService } from './orders.service'

@Controller()
export class OrdersController {
  constructor(@Inject(OrdersService) private readonly orders: OrdersService) {}

  @Get('parsed/:id')
  parsed(@Param('id') id: string) {
    return { id: flax.parse(id) }
  }

  @Get('found/:id')
  found(@Param('id') id: string) {
    return this.orders.findUnchecked(id as FlaxId)
  }

  @Get('piped/:id')
  piped(@Param('id', new IdPipe(flax)) id: FlaxId) {
    return { id }
  }

  /** As if the database had returned it. */
  @Get('stored/:id')
  stored(@Param('id') id: string) {
    return { id: storageFor(flax, 'sqlite').fromDatabase(id) }
  }
}
