import 'reflect-metadata'
import type { FlaxId, SnoId } from '@snoflax/core'
import { FlaxIdColumn, SnoIdColumn } from '@snoflax/typeorm'
import { Column, DataSource, Entity } from 'typeorm'
import { beforeAll, expect, test, vi } from 'vitest'

/** How often somebody looks at a token, or at a place in the list of them. */
const looks = vi.hoisted(() => ({ count: 0 }))

vi.mock('@snoflax/core/adapter', async (load) => {
  const adapter = await load<typeof import('@snoflax/core/adapter')>()
  const counted = <One extends object>(one: One): One =>
    new Proxy(one, {
      get(target, name) {
        looks.count++
        return Reflect.get(target, name) as unknown
      },
    })
  const readSql: typeof adapter.readSql = (...given) => counted(adapter.readSql(...given).map(counted))
  return { ...adapter, readSql }
})

@Entity()
class Order {
  @SnoIdColumn({ storage: 'binary' }) id!: SnoId
  @FlaxIdColumn.plain({ storage: 'binary' }) customerId!: FlaxId
  @FlaxIdColumn.plain({ storage: 'binary', array: true }) readerIds!: FlaxId[]
  @Column('varchar') name!: string
}

const dataSource = new DataSource({ type: 'postgres', entities: [Order] })
beforeAll(() => (dataSource as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas())

/** The condition with as many parameters as names. */
type Form = (names: readonly string[]) => string

const CONDITIONS: Readonly<Record<string, Form>> = {
  'a list': (names) => `o.customerId IN (${names.map((name) => `:${name}`).join(', ')})`,
  'a list of brackets': (names) => `o.customerId IN (${names.map((name) => `(:${name})`).join(', ')})`,
  'a list of rows': (names) =>
    `(o.customerId, o.name) IN (${names.map((name) => `(:${name}, 'x')`).join(', ')})`,
  'a list of values': (names) => `o.name IN (VALUES ${names.map((name) => `(:${name})`).join(', ')})`,
  'a list of values beside an id': (names) =>
    `o.customerId IN (VALUES ${names.map((name) => `(:${name})`).join(', ')})`,
  'a list that is changed': (names) =>
    `o.customerId IN (${names.map((name) => `LOWER(:${name})`).join(', ')})`,
  'an array': (names) => `o.readerIds && ARRAY[${names.map((name) => `:${name}`).join(', ')}]`,
  'any of an array': (names) => `o.customerId = ANY (ARRAY[${names.map((name) => `:${name}`).join(', ')}])`,
  'many ORs': (names) => names.map((name) => `o.customerId = :${name}`).join(' OR '),
  'many ANDs': (names) => names.map((name) => `NOT o.customerId = :${name}`).join(' AND '),
  'many ranges': (names) => names.map((name) => `o.customerId BETWEEN :${name} AND :${name}`).join(' AND '),
  'a sum': (names) => `o.name || o.customerId = ${names.map((name) => `:${name}`).join(' || ')}`,
  'a function': (names) => `o.customerId = COALESCE(${names.map((name) => `:${name}`).join(', ')})`,
  'a row': (names) =>
    `(${names.map(() => 'o.customerId').join()}) = (${names.map((name) => `:${name}`).join()})`,
  'many cases': (names) =>
    `CASE o.customerId ${names.map((name) => `WHEN :${name} THEN 1`).join(' ')} END = 1`,
  'many answers': (names) =>
    `CASE ${names.map((name) => `WHEN o.name = 'x' THEN :${name}`).join(' ')} END = o.customerId`,
  'many subqueries': (names) =>
    names.map((name) => `EXISTS (SELECT 1 FROM "order" x WHERE x.customerId = :${name})`).join(' OR '),
  'a subquery': (names) =>
    `EXISTS (SELECT 1 FROM "order" x WHERE ${names.map((name) => `x.customerId <> :${name}`).join(' AND ')})`,
}

function looksAt(parameters: number, form: Form): number {
  const names = Array.from({ length: parameters }, (_, i) => `a${i}`)
  const builder = dataSource.createQueryBuilder(Order, 'o').where(form(names))
  looks.count = 0
  builder.getQuery()
  return looks.count
}

test.each(Object.entries(CONDITIONS))(
  '%s of 3,000 parameters takes ten times the reads of 300',
  (_, form) => {
    const few = looksAt(300, form)
    expect(few).toBeGreaterThan(300)
    expect(looksAt(3_000, form)).toBeLessThan(few * 10.5)
  },
)
