import 'reflect-metadata'
import { FlaxIdColumn } from '@snoflax/typeorm'
import {
  Column,
  CreateDateColumn,
  type DataSource,
  Entity,
  type InsertQueryBuilder,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { openForTest } from './open-data-source.js'
import { kinds } from './sources.js'

interface Row {
  id: string
  email: string
  name: string
  savedAt: Date
}

async function open(kind: (typeof kinds)[number], key: 'plain' | 'ours'): Promise<DataSource> {
  const Key = () => (key === 'plain' ? PrimaryGeneratedColumn('uuid') : FlaxIdColumn({ prefix: 'usr' }))
  @Entity()
  class User implements Row {
    id!: string
    @Column({ type: 'varchar', length: 100, unique: true }) email!: string
    @Column({ type: 'varchar' }) name!: string
    @CreateDateColumn() savedAt!: Date
  }
  Key()(User.prototype, 'id' as never)
  return openForTest(kind, [User])
}

const insert = (users: Repository<Row>, rows: Row[]) =>
  users.createQueryBuilder().insert().values(rows) as InsertQueryBuilder<Row>

/** Each writes rows of which the first conflicts with a stored one. */
const FORMS: Record<string, (users: Repository<Row>, rows: Row[]) => Promise<unknown>> = {
  'upsert()': (users, rows) => users.upsert(rows, ['email']),
  'upsert(), unchanged rows skipped': (users, rows) =>
    users.upsert(rows, { conflictPaths: ['email'], skipUpdateIfNoValuesChanged: true }),
  'orUpdate()': (users, rows) => insert(users, rows).orUpdate(['name'], ['email']).execute(),
  'orUpdate(), updateEntity(false)': (users, rows) =>
    insert(users, rows).orUpdate(['name'], ['email']).updateEntity(false).execute(),
  'orIgnore()': (users, rows) => insert(users, rows).orIgnore().execute(),
  'orIgnore(), updateEntity(false)': (users, rows) =>
    insert(users, rows).orIgnore().updateEntity(false).execute(),
  'insert()': (users, rows) => users.insert(rows),
  'save()': (users, rows) => users.save(rows),
}

/** What entities and result say of each row's id: that it is the stored one, another row's, one of no row, or none. */
async function outcome(dataSource: DataSource, form: string, count: number) {
  const users = dataSource.getRepository<Row>('User')
  const stored = await users.save({ email: 'a', name: 'before' } as Row)
  const rows = ['a', 'b', 'c'].slice(0, count).map((email) => ({ email, name: 'before' }) as Row)
  const result = (await FORMS[form]?.(users, rows).catch((error: Error) => error.name)) as
    | string
    | { identifiers?: ({ id?: string } | undefined)[] }
  const ids = new Map((await users.find()).map(({ id, email }) => [id, email]))
  const told = (id: string | undefined, email: string) =>
    id === undefined
      ? 'none'
      : (ids.get(id) ?? email) !== email
        ? 'wrong'
        : ids.has(id)
          ? 'stored'
          : 'of no row'
  return {
    isKept: ids.get(stored.id) === 'a',
    rows: ids.size,
    error: typeof result === 'string' ? result : undefined,
    entities: rows.map(({ id, email }) => told(id, email)).join(),
    identifiers: rows
      .map(({ email }, i) => told((result as { identifiers?: Row[] }).identifiers?.[i]?.id, email))
      .join(),
  }
}

/** What is told of the row that conflicts, where inserts return rows, and where they don't. TypeORM reads none then. */
const TOLD: Record<string, readonly [returned: string, unreturned: string]> = {
  'upsert()': ['stored', 'of no row'],
  'upsert(), unchanged rows skipped': ['none', 'of no row'],
  'orUpdate()': ['stored', 'of no row'],
  'orUpdate(), updateEntity(false)': ['none', 'none'],
  'orIgnore()': ['none', 'of no row'],
  'orIgnore(), updateEntity(false)': ['none', 'none'],
}

describe.each(kinds)('$name', (kind) => {
  test.each(Object.keys(FORMS).flatMap((form) => [1, 3].map((count) => [form, count] as const)))(
    '%s of %i rows keeps the stored key, and never tells another row of a key',
    async (form, count) => {
      const dataSource = await open(kind, 'ours')
      const ours = await outcome(dataSource, form, count)
      const plain = await outcome(await open(kind, 'plain'), form, count)
      expect(ours).toMatchObject({ isKept: plain.isKept, rows: plain.rows, error: plain.error })
      if (ours.error) return
      const isReturned = dataSource.driver.isReturningSqlSupported('insert')
      // MySQL's drivers know no way to skip unchanged rows.
      const isSkipped = form.includes('unchanged') && kind.name !== 'mysql'
      const [returned, unreturned] = TOLD[isSkipped ? form : form.replace(/, unchanged.*/, '')] as [
        string,
        string,
      ]
      const others = form.endsWith('updateEntity(false)') ? 'none' : 'stored'
      const expected = [isReturned ? returned : unreturned, others, others].slice(0, count).join()
      expect(ours).toMatchObject({ entities: expected, identifiers: expected })
      // What TypeORM tells of uuid keys, but where it takes another row for theirs, and where only we have it returned.
      for (const [at, told] of plain.entities.split(',').entries())
        if (told !== 'wrong' && !(isReturned && told === 'of no row') && !plain.entities.includes('wrong'))
          expect(ours.entities.split(',')[at]).toBe(told)
    },
  )
})
