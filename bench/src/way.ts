import 'reflect-metadata'
import { Session } from 'node:inspector/promises'
import { register } from 'node:module'
import { basename } from 'node:path'
import type { FlaxId } from '@snoflax/core'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect } from 'kysely'
import { Column, DataSource, Entity } from 'typeorm'

/** `npm run bench:way`: an id's way through our code, as the files and functions that one statement on text keys calls. */

// What is published is one file per entry. The files behind it are counted.
const UNBUNDLED = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  return { ...found, url: found.url.replace(/(\\/packages\\/[^/]+)\\/esm\\//, '$1/dist/') }
}`
register(`data:text/javascript,${encodeURIComponent(UNBUNDLED)}`)
const { flaxId: drizzleId } = await import('@snoflax/drizzle/sqlite-core')
const { flaxId, idPlugin } = await import('@snoflax/kysely')
const { FlaxIdColumn } = await import('@snoflax/typeorm')

@Entity('customers')
class Customer {
  @FlaxIdColumn() id!: FlaxId
  @Column('text') name!: string
}

const DDL = 'CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL)'
const connection = new Database(':memory:')
connection.exec(DDL)

const customers = sqliteTable('customers', { id: drizzleId().primaryKey(), name: text().notNull() })
const db = drizzle(connection)
const kysely = new Kysely<{ customers: { id: string; name: string } }>({
  dialect: new SqliteDialect({ database: connection }),
  plugins: [idPlugin({ database: 'sqlite', tables: { customers: { id: flaxId() } } })],
})
const source = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities: [Customer] })
await source.initialize()
await source.query(DDL)
const repository = source.getRepository(Customer)
const { id } = db.insert(customers).values({ name: 'Ada' }).returning().get()

const STATEMENTS: Readonly<Record<string, () => unknown>> = {
  'Drizzle, insert': () => db.insert(customers).values({ name: 'Ada' }).returning(),
  'Drizzle, select by id': () => db.select().from(customers).where(eq(customers.id, id)),
  'TypeORM, save': () => repository.save(repository.create({ name: 'Ada' })),
  'TypeORM, findOneBy id': () => repository.findOneBy({ id }),
  'Kysely, insert': () =>
    kysely
      .insertInto('customers')
      .values({ name: 'Ada' } as never)
      .returningAll()
      .execute(),
  'Kysely, select by id': () => kysely.selectFrom('customers').selectAll().where('id', '=', id).execute(),
}

const OURS = /\/packages\/(\w+)\/dist\/(.+)$/

const session = new Session()
session.connect()
await session.post('Profiler.enable')
for (const [name, run] of Object.entries(STATEMENTS)) {
  for (let warm = 0; warm < 3; warm++) await run()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const files = result.flatMap(({ url, functions }) => {
    const [, folder, file] = OURS.exec(url) ?? []
    const called = functions.filter(
      (one) => (one.ranges[0]?.count ?? 0) > 0 && one.ranges[0]?.startOffset !== 0,
    )
    return folder && called.length > 0 ? [{ file: `${folder}/${file}`, called }] : []
  })
  if (files.length === 0) throw new Error(`${name} calls none of our files: is ${OURS} still where they are?`)
  const count = files.reduce((sum, { called }) => sum + called.length, 0)
  console.log(`${name}: ${files.length} files, ${count} functions`)
  for (const { file, called } of files)
    console.log(`  ${file}: ${called.map(({ functionName }) => functionName || basename(file)).join(', ')}`)
}
session.disconnect()
await source.destroy()
