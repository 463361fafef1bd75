import { readFileSync } from 'node:fs'
import { flax, prefixed } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { pglite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { modulesOf } from './docstrings/programs.js'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf } from './snippets/page.js'
import { at } from './workspace.js'

const PAGE = readFileSync(at('docs/client-ids.md'), 'utf8')
const [program = ''] = blocksOf(PAGE, 'ts')
const [trigger = ''] = blocksOf(PAGE, 'sql')
const modules = modulesOf(at('test/.vitest/client-ids'), [program])

test('the program of docs/client-ids.md does what its comments tell', async () => {
  const { claims, contradictions } = await outcomeOf(program, { modules: await modules })
  expect(contradictions).toEqual([])
  expect(claims).toBe(7)
})

test('its trigger takes ids of these days, and refuses others', async () => {
  const database = await pglite.open()
  await install(database.connection)
  await database.query('CREATE TABLE notes (id text COLLATE "C" PRIMARY KEY)')
  await database.connection.exec(trigger)
  const noteId = prefixed(flax, 'note')
  const insert = (time: number) => database.query('INSERT INTO notes VALUES ($1)', [noteId.generateAt(time)])
  const day = 86_400_000
  for (const ms of [0, -6.9 * day, 290_000]) await insert(Date.now() + ms)
  for (const ms of [-7.1 * day, 400_000, 5000 * day]) {
    await expect(insert(Date.now() + ms)).rejects.toThrow(/is not of these days/)
  }
  await database.close()
})
