import { Test, type TestingModule } from '@nestjs/testing'
import { IdError } from '@snoflax/core'
import { AppModule } from './app.module'
import { OrdersService } from './orders.service'

describe('OrdersService', () => {
  let application: TestingModule

  beforeAll(async () => {
    application = await Test.createTestingModule({ imports: [AppModule] }).compile()
  })
  afterAll(() => application.close())

  it('makes, stores, finds and refuses an id', async () => {
    const service = application.get(OrdersService)
    const { id } = await service.add('tea')
    expect(await service.bytes()).toEqual([{ bytes: 12 }])
    expect(await service.find(id)).toEqual({ id, what: 'tea' })
    expect(() => service.find('tea')).toThrow(IdError)
  })
})
