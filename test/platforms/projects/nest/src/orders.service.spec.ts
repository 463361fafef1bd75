import type { INestApplication } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { IdError } from '@snoflax/core'
import { AppModule } from './app.module'
import { OrdersService } from './orders.service'

describe('OrdersService', () => {
  let application: INestApplication
  let url: string

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile()
    application = module.createNestApplication()
    await application.listen(0, '127.0.0.1')
    url = await application.getUrl()
  })
  afterAll(() => application.close())

  it('makes, stores, finds and refuses an id', async () => {
    const service = application.get(OrdersService)
    const { id } = await service.add('tea')
    expect(await service.bytes()).toEqual([{ bytes: 12 }])
    expect(await service.find(id)).toEqual({ id, what: 'tea' })
    expect(() => service.find('tea')).toThrow(IdError)
  })

  const SHORT = 'flax: an id has 16 characters, not 1 ("x")'

  it.each([
    ['parsed', { statusCode: 400, message: SHORT }],
    ['found', { statusCode: 400, message: `Order.id: ${SHORT}` }],
    ['piped', { statusCode: 400, message: SHORT, error: 'Bad Request', code: 'INVALID_LENGTH' }],
    ['stored', { statusCode: 500, message: 'Internal server error' }],
  ])('answers a request for %s/x', async (path, answer) => {
    const response = await fetch(`${url}/${path}/x`)
    expect(response.status).toBe(answer.statusCode)
    expect(await response.json()).toEqual(answer)
  })
})
