import { DataSource } from 'typeorm'
import { Customer, Order } from './schema.js'

export const db = new DataSource({
  type: 'better-sqlite3',
  database: ':memory:',
  entities: [Customer, Order],
  synchronize: true,
})
