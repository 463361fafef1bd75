import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import type { Id } from '@snoflax/core'
import { IdPipe } from '@snoflax/validators/nest'
import { IsNotEmpty, IsString } from 'class-validator'
import type { Repository } from 'typeorm'
import { Customer, customerId } from './entities.js'

class NewCustomer {
  @IsString() @IsNotEmpty() name: string
}

@Controller('customers')
export class CustomersController {
  constructor(@InjectRepository(Customer) private readonly customers: Repository<Customer>) {}

  @Post()
  create(@Body() { name }: NewCustomer) {
    return this.customers.save({ name })
  }

  @Get(':id')
  async find(@Param('id', new IdPipe(customerId)) id: Id<'cus'>) {
    const customer = await this.customers.findOneBy({ id })
    if (!customer) throw new NotFoundException(`there is no customer ${id}`)
    return customer
  }
}
