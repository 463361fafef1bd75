import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const SOURCES = new URL('../src/', import.meta.url)

/** From the first folder, which may import all others, to the last, which imports none. */
const order = [
  'declare', // what applications write: decorators, keyset, createdBetween
  'prepare', // prepares a DataSource, and changes TypeORM
  'write', // ids of new rows
  'convert', // compact storages: keys in their stored form where TypeORM needs them
  'columns', // what an id column is, before its database is known and after
]

test('every folder has its place', () => {
  const folders = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect([...order].sort()).toEqual(folders.map(({ name }) => name).sort())
})

test('imports go in one direction', () => {
  const upwards = order.flatMap((folder, level) =>
    readdirSync(new URL(`${folder}/`, SOURCES)).flatMap((file) => {
      const imports = [...read(`../src/${folder}/${file}`).matchAll(/from '\.\.\/(\w+)\//g)]
      return imports
        .filter(([, imported]) => order.indexOf(imported as string) <= level)
        .map(([, imported]) => `${folder}/${file} imports ${imported}`)
    }),
  )
  expect(upwards).toEqual([])
})
