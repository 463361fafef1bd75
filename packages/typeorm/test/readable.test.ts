import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { FlaxIdColumn } from '@snoflax/typeorm'
import { Column, Entity, type Logger, ManyToOne, QueryFailedError, type Relation } from 'typeorm'
import { describe, expect, test } from 'vitest'
import { openForTest } from './open-data-source.js'
import { flaxPlaces } from './sources.js'
import { VERSION } from './version.js'

describe.each(flaxPlaces)('$name', ({ kind, storage }) => {
  @Entity()
  class Person {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('boolean', { default: true }) isThere!: boolean
    @ManyToOne(() => Person, { nullable: true }) boss!: Relation<Person> | null
  }

  test('errors and logs contain the ids instead of the values bound', async () => {
    const logged: [kind: string, parameters: unknown, message?: string][] = []
    /** With a field that only its own methods see. */
    class Log implements Logger {
      readonly #log = logged
      logQuery(_: string, parameters?: unknown[]) {
        this.#log.push(['query', parameters])
      }
      logQueryError(error: string | Error, _: string, parameters?: unknown[]) {
        this.#log.push(['error', parameters, String(error)])
      }
      logQuerySlow(_: number, __: string, parameters?: unknown[]) {
        this.#log.push(['slow', parameters])
      }
      logSchemaBuild() {}
      logMigration() {}
      log() {
        this.#log.push(['log', []])
      }
    }
    const dataSource = await openForTest(kind, [Person], {
      logger: new Log(),
      maxQueryExecutionTime: Number.MIN_VALUE,
    })
    const people = dataSource.getRepository(Person)
    const id = flax.generate()
    const [, boss] = [await people.insert({ id, isThere: true }), flax.generate()]
    const failing = [
      [() => people.insert({ id, isThere: false }), [id]],
      [() => people.insert({ id: flax.generate(), isThere: false, boss: { id: boss } }), [boss]],
      [() => people.update(id, { boss: { id: boss } }), [id, boss]],
      [
        () =>
          people
            .createQueryBuilder('p')
            .where('p.id IN (:...ids) AND nothing', { ids: [id, boss] })
            .getMany(),
        [id, boss],
      ],
    ] as const
    // What better-sqlite3 refuses to prepare, TypeORM before 1.1.1 does not log.
    const logs = VERSION !== '' && kind.name === 'sqlite' ? failing.slice(0, -1) : failing
    for (const [fail, ids] of logs) {
      logged.length = 0
      const error: unknown = await fail().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(QueryFailedError)
      const { parameters, message, detail = '' } = error as QueryFailedError & { detail?: string }
      expect(parameters).toEqual(expect.arrayContaining([...ids]))
      const asked = logged.filter(([what]) => what !== 'slow')
      expect(asked.map(([what]) => what)).toEqual(expect.arrayContaining(['query', 'error']))
      for (const [, list] of asked.slice(-2)) expect(list).toEqual(parameters)
      expect(`${message} ${detail}`).not.toMatch(/\\x|[0-9a-f]{8}-[0-9a-f]{4}-/)
      // What names the key in a message names the id.
      if (/Key \(|Duplicate entry/.test(`${message} ${detail}`))
        expect(`${message} ${detail}`).toContain(ids.at(-1))
    }
    logged.length = 0
    await Promise.all([people.findOneBy({ id }), people.findOneBy({ id: boss }), people.find()])
    expect(logged.flatMap(([, list]) => list ?? [])).toEqual(expect.arrayContaining([id, boss]))
    for (const [, list] of logged)
      expect([[], undefined, [id], [boss], [id, 1], [boss, 1]]).toContainEqual(list)
    dataSource.logger.log('info', 'passed on')
    expect(logged.at(-1)?.[0]).toBe('log')
  })
})
