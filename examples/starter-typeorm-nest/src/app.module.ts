import { Module } from '@nestjs/common'
import { TypeOrmModule } from '@nestjs/typeorm'
import { CustomersController } from './customers.controller.js'
import { Customer, Order } from './entities.js'
import { OrdersController } from './orders.controller.js'

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'sqljs',
      location: 'shop.sqlite',
      autoSave: true,
      autoLoadEntities: true,
      synchronize: true, // creates the tables; in production, migrations
    }),
    TypeOrmModule.forFeature([Customer, Order]),
  ],
  controllers: [CustomersController, OrdersController],
})
export class AppModule {}
