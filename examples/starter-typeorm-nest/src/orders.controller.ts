import { Body, Controller, Get, NotFoundException, Param, Post, Query } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import type { Id } from '@snoflax/core'
import { createdBetween, keyset } from '@snoflax/typeorm'
import { IsId } from '@snoflax/validators/class-validator'
import { IdPipe } from '@snoflax/validators/nest'
import { Type } from 'class-transformer'
import { IsDate, IsInt, IsOptional, Min } from 'class-validator'
import type { Repository } from 'typeorm'
import { Customer, customerId, Order, orderId } from './entities.js'

const PAGE = 20
const DAY_MS = 86_400_000

class NewOrder {
  @IsId(customerId) customerId: Id<'cus'>
  @IsInt() @Min(0) total: number
}

class Listed {
  @IsOptional() @IsId(orderId) after?: Id<'ord'>
  @IsOptional() @Type(() => Date) @IsDate() day?: Date
}

@Controller('orders')
export class OrdersController {
  constructor(
    @InjectRepository(Order) private readonly orders: Repository<Order>,
    @InjectRepository(Customer) private readonly customers: Repository<Customer>,
  ) {}

  @Post()
  async create(@Body() { customerId, total }: NewOrder) {
    const customer = await this.customers.findOneBy({ id: customerId })
    if (!customer) throw new NotFoundException(`there is no customer ${customerId}`)
    return shown(await this.orders.save(this.orders.create({ customer, total })))
  }

  /** Newest first; `?after=ord_…` is the next page, `?day=2026-11-26` one day. */
  @Get()
  async list(@Query() { after, day }: Listed) {
    const where = day ? { id: createdBetween(Order, 'id', day, day.getTime() + DAY_MS) } : {}
    const page = keyset(Order, { after, take: PAGE + 1, order: 'desc', where }) // one more, to know whether there is a next page
    const found = await this.orders.find({ ...page, relations: { customer: true } })
    const orders = found.slice(0, PAGE)
    return { orders: orders.map(shown), next: found.length > PAGE ? orders.at(-1)?.id : undefined }
  }

  @Get(':id')
  async find(@Param('id', new IdPipe(orderId)) id: Id<'ord'>) {
    const order = await this.orders.findOne({ where: { id }, relations: { customer: true } })
    if (!order) throw new NotFoundException(`there is no order ${id}`)
    return shown(order)
  }
}

/** With the creation time, an accessor that JSON leaves out. */
const shown = (order: Order) => ({ ...order, createdAt: order.createdAt })
