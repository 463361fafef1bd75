import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, checkOrder, checkPlan, checkReadBack, difference } from '#quakes/checks'
import { loadQuakes } from '#quakes/data'
import type { Engine } from '#quakes/engine'
import { quakeIds } from '#quakes/ids'
import { QuakeTable } from '#quakes/quake-table'
import { days, strongByDay } from '#quakes/questions'
import { openSqlite } from '#quakes/sqlite'
import { storagesOf } from '#quakes/storages'
import { keyQuakes } from '#quakes/survey'

const quakes = loadQuakes()
const families = quakeIds(quakes).map((ids) => keyQuakes(ids, quakes))
const [firstDay] = days(quakes)
const [firstStrongDay] = strongByDay(quakes)
if (firstDay === undefined || firstStrongDay === undefined) throw new Error('there are no days')

let sqlite: Engine

beforeEach(() => {
  sqlite = openSqlite()
})
afterEach(() => sqlite.close())

async function filled(name: string) {
  const family = families.find(({ ids }) => ids.family.name === name)
  const storage = family && storagesOf(family.ids.family, sqlite).allowed[0]
  if (family === undefined || storage === undefined) throw new Error(`no storage for ${name}`)
  const table = new QuakeTable(sqlite, storage)
  await table.fill(family.rows)
  return { ...family, table }
}

describe('checks of an untouched table', () => {
  it.each(families.map(({ ids }) => ids.family.name))('pass for %s', async (name) => {
    const { table, ids, rows } = await filled(name)
    expect(await checkReadBack(table, rows)).toHaveProperty('failure', undefined)
    expect(await checkOrder(table)).toHaveProperty('failure', undefined)
    expect(await checkPlan(table, firstDay)).toHaveProperty('failure', undefined)
    const { failure, quakes: found } = await answer(table, ids, firstDay)
    expect(failure).toBeUndefined()
    expect(found).toHaveLength(quakes.filter(({ timeMs }) => timeMs < firstDay.toMs).length)
  })
})

describe('checks of a changed table', () => {
  const [first, second] = quakes.map(({ code }) => code)

  it('find a deleted row', async () => {
    const { table, rows } = await filled('flax')
    await sqlite.run(`DELETE FROM ${table.name} WHERE code = '${first}'`)
    expect((await checkReadBack(table, rows)).failure).toContain(
      `1706 rows instead of 1707; missing ${first}`,
    )
  })

  it('find a time that is not that of its id', async () => {
    const { table, ids } = await filled('flake')
    await sqlite.run(`UPDATE ${table.name} SET time_ms = ${firstDay.toMs} WHERE code = '${first}'`)
    expect((await answer(table, ids, firstDay)).failure).toBe(`198 rows instead of 197; too many ${first}`)
    expect((await checkOrder(table)).failure).toBe(`row 1 is ${first}, it should be ${second}`)
  })

  it.each([4, -2])('find an id whose time is %i ms off', async (offMs) => {
    const { table, rows } = await filled('uid')
    const [row, ...others] = rows
    if (row === undefined) throw new Error('there are no rows')
    const moved = { ...row, quake: { ...row.quake, timeMs: row.quake.timeMs + offMs } }
    expect((await checkReadBack(table, [moved, ...others])).failure).toContain(
      `${row.id} of ${first} carries 2018-01-31`,
    )
  })

  it('find a magnitude that is not that of its id', async () => {
    const { table, ids } = await filled('sno')
    await sqlite.run(`UPDATE ${table.name} SET magnitude = 4.5 WHERE code = '${first}'`)
    expect((await answer(table, ids, firstStrongDay)).failure).toBe(`13 rows instead of 14; missing ${first}`)
    expect((await answer(table, ids, firstDay)).failure).toBeUndefined()
  })

  it('find that the key has no index', async () => {
    const { table } = await filled('flax')
    await sqlite.run(`CREATE TABLE copy AS SELECT * FROM ${table.name}; DROP TABLE ${table.name}`)
    await sqlite.run(`ALTER TABLE copy RENAME TO ${table.name}`)
    expect((await checkPlan(table, firstDay)).failure).toBe(`the plan is SCAN ${table.name}`)
  })
})

describe('difference', () => {
  it('names what is missing and what is surplus, a few of each', () => {
    expect(difference(['a', 'b'], ['a', 'b'])).toBeUndefined()
    expect(difference(['a'], ['a', 'a'])).toBe('2 rows instead of 1')
    expect(difference(['a', 'b', 'c', 'd'], ['x'])).toBe(
      '1 rows instead of 4; missing a, b, c and 1 more; too many x',
    )
  })
})
