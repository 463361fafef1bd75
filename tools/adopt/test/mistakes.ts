import { planAdoption } from '@snoflax/adopt'
import { type Clock, flax, type IdGenerator } from '@snoflax/core'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import Database from 'better-sqlite3'

function plan(generator: unknown, storage?: 'uuid') {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, createdAt TEXT NOT NULL)')
  const tables = [
    {
      table: 'orders',
      createdAt: 'createdAt',
      generator: generator as (clock: Clock) => IdGenerator<string>,
      ...(storage && { storage }),
    },
  ]
  return planAdoption(db, { tables })
}

export default {
  'no such generator': () => plan(() => WRONG.notAGenerator),
  'storage that the database lacks': () => plan((clock: Clock) => flax.generator({ clock }), 'uuid'),
} satisfies Mistakes
