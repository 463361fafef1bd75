import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cell } from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { matrix } from './contract/matrix.js'
import { writeMatrixPage } from './contract/matrix-page.js'
import { writeRawPage } from './contract/raw/page.js'
import type { RawCell } from './contract/raw/suite.js'

const cell = (more: Partial<Cell>): Cell => ({
  orm: 'TypeORM',
  database: 'postgres',
  storage: 'uuid',
  family: 'flax',
  operation: 'insert',
  path: 'save',
  refused: undefined,
  unchecked: undefined,
  ...more,
})

test('works in every storage, is refused, or is refused for some families', () => {
  const lines = matrix([
    cell({}),
    cell({ family: 'sno' }),
    cell({ storage: 'binary' }),
    cell({ path: 'insert', unchecked: 'no hook' }),
    cell({ path: 'insert', storage: 'binary' }),
    cell({ operation: 'find', path: 'findBy', unchecked: 'raw' }),
    cell({ operation: 'find', path: 'findBy', storage: 'binary', unchecked: 'raw' }),
    cell({ path: 'tree', refused: 'bytes' }),
    cell({ path: 'tree', family: 'sno' }),
    cell({ path: 'tree', storage: 'binary', refused: 'other bytes' }),
    cell({ path: 'grove', refused: 'bytes' }),
    cell({ path: 'grove', family: 'sno' }),
    cell({ path: 'grove', storage: 'binary', refused: 'other bytes' }),
  ])
  expect(lines).toEqual([
    'uuid: flax, sno; binary: flax',
    '',
    '- insert: save; insert⟦uuid: no hook⟧',
    '- find⟦raw⟧: findBy',
    '',
    '| path | uuid | binary |',
    '| --- | :-: | :-: |',
    '| insert: tree; grove | ✓, flax ✗⟦bytes⟧ | ✗⟦other bytes⟧ |',
  ])
})

const inFolder = (work: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
  try {
    work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a page names what is as in its first database, and numbers the notes', () => {
  inFolder((folder) => {
    const both = (more: Partial<Cell>) => [cell(more), cell({ ...more, database: 'mysql' })]
    const cells = [
      ...both({}),
      ...both({ operation: 'find', unchecked: 'raw' }),
      cell({ operation: 'find by ids', path: 'In' }),
      cell({ operation: 'find by ids', path: 'Any', database: 'mysql', refused: 'no ANY' }),
    ]
    const page = () => readFileSync(join(folder, 'typeorm.txt'), 'utf8')
    writeMatrixPage(folder, 'TypeORM', cells, 'MariaDB')
    expect(page()).toContain('- find¹: save\n- find by ids: In\n\nMariaDB\n=======\n')
    expect(page()).toContain(
      'MariaDB\n=======\n\nuuid: flax\n\n- as in PostgreSQL, but for: find by ids\n\n| path |',
    )
    expect(page()).toMatch(/\| find by ids: Any \| ✗² \|\n\nNotes\n=====\n\n1\. raw\n2\. no ANY\n$/)

    // PostgreSQL changes in a run without MariaDB, whose lists stay what they were.
    writeMatrixPage(folder, 'TypeORM', [cell({ path: 'other' })], 'MariaDB')
    expect(page()).toContain('MariaDB\n=======\n\nuuid: flax\n\n- insert: save\n- find¹: save\n\n| path |')
    expect(page()).toMatch(/\| ✗² \|\n\nNotes\n=====\n\n1\. raw\n2\. no ANY\n$/)
  })
})

test('forms of raw SQL stand once, with what each database does; a run keeps those of the others', () => {
  inFolder((folder) => {
    const file = join(folder, 'raw-sql.txt')
    const form = (database: string, sql: string, outcome: RawCell['outcome']) =>
      ['TypeORM', 'Kysely'].map((orm) => ({ orm, database, sql, outcome, storage: 'binary' }) as RawCell)
    const write = (...cells: RawCell[]) =>
      writeRawPage(file, cells, ['TypeORM', 'Kysely'], ({ database }) => database)
    const lists = () => readFileSync(file, 'utf8').split('raw-sql.md\n\n')[1]

    write(
      ...form('A', 'SELECT name FROM customers WHERE id = {id} ORDER BY email', 'converted'),
      ...form('B', 'SELECT name FROM customers WHERE id = {id} ORDER BY email', 'converted'),
      ...form('B', 'SELECT {id}', 'refused'),
    )
    expect(lists()).toBe('A, B = ✓\n\n  WHERE id = {id}\n\nB = refused\n\n  SELECT {id}\n')
    write(...form('B', 'SELECT name FROM customers WHERE id = {id}', 'database'))
    expect(lists()).toBe('A = ✓ · B = database\n\n  WHERE id = {id}\n')
    // A run that didn't try every ORM says nothing.
    write(...form('B', 'SELECT {id}', 'refused').slice(1))
    expect(lists()).toBe('A = ✓ · B = database\n\n  WHERE id = {id}\n')
  })
})

test('a run replaces what it tested, and keeps the rest of the page', () => {
  inFolder((folder) => {
    const page = () => readFileSync(join(folder, 'typeorm.txt'), 'utf8')
    const first = [cell({ database: 'mysql', path: 'by mysql' }), cell({ path: 'stale' })]
    writeMatrixPage(folder, 'TypeORM', first, 'MariaDB')
    expect(page()).toMatch(/PostgreSQL\n=+[^=]*stale[^=]*MariaDB\n=+[^=]*by mysql/)
    writeMatrixPage(folder, 'TypeORM', [cell({ path: 'new' })], 'MySQL')
    expect(page()).toMatch(/PostgreSQL\n=+[^=]*new[^=]*MariaDB\n=+[^=]*by mysql/)
    expect(page()).not.toContain('stale')
    const once = page()
    writeMatrixPage(folder, 'TypeORM', [cell({ path: 'new' })], 'MySQL')
    expect(page()).toBe(once)
    writeMatrixPage(folder, 'TypeORM', [cell({ database: 'mysql', path: 'another' })], 'MySQL')
    expect(page()).toMatch(/MySQL\n=+[^=]*another[^=]*MariaDB\n=+[^=]*by mysql/)
  })
})
