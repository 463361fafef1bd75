import { type RegisterOptions, registerSnoflax, type SqliteConnection } from '@snoflax/better-sqlite3'
import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import Database from 'better-sqlite3'
import type { DataSourceOptions } from 'typeorm'
import { expectTypeOf, test } from 'vitest'
import { ticket, ticketGenerator } from './ticket.js'

test('a connection of better-sqlite3 is accepted and returned', () => {
  expectTypeOf<Database.Database>().toExtend<SqliteConnection>()
  expectTypeOf(registerSnoflax(new Database(':memory:'))).toEqualTypeOf<Database.Database>()
  // @ts-expect-error: a file's name is no connection
  registerSnoflax('app.db')
})

test('families and generators of every kind are accepted', () => {
  expectTypeOf<RegisterOptions['families']>().toEqualTypeOf<readonly IdFamily[] | undefined>()
  const options: RegisterOptions = {
    families: [flax, sno, flake.withEpoch(5), uid.withNeighbourhood(5), uidLocal, ticket],
    generators: {
      flax: flax.generator({ monotonic: true }),
      sno: sno.generator({ partition: 7 }),
      uidLocal: uidLocal.generator(),
      salesTicket: ticketGenerator(),
    },
  }
  expectTypeOf(options).toExtend<RegisterOptions>()
  // A family with a generator of its own stands for that.
  expectTypeOf({ sno, flax }).toExtend<RegisterOptions['generators']>()
  // @ts-expect-error: other families are no generators
  const _wrong: RegisterOptions = { generators: { flake } }
  // @ts-expect-error: generators go by name
  const _list: RegisterOptions = { generators: [sno.generator()] }
})

test("registerSnoflax fits TypeORM's prepareDatabase", () => {
  const options: DataSourceOptions = {
    type: 'better-sqlite3',
    database: 'app.db',
    prepareDatabase: (db) => registerSnoflax(db),
  }
  expectTypeOf(options).toExtend<DataSourceOptions>()
})
