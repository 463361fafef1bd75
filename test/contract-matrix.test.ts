import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cell } from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { matrix } from './contract/matrix.js'
import { writeMatrixPage } from './contract/matrix-page.js'

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

test('a cell of the matrix says that a path works, is refused, or is refused for some families', () => {
  const lines = matrix([
    cell({}),
    cell({ family: 'sno' }),
    cell({ storage: 'binary' }),
    cell({ path: 'insert' }),
    cell({ path: 'insert', storage: 'binary' }),
    cell({ operation: 'find', path: 'findBy' }),
    cell({ operation: 'find', path: 'findBy', storage: 'binary' }),
    cell({ path: 'tree', refused: 'bytes' }),
    cell({ path: 'tree', family: 'sno' }),
    cell({ path: 'tree', storage: 'binary', refused: 'other bytes' }),
  ]).split('\n')
  expect(lines).toEqual([
    'Families: uuid: flax, sno · binary: flax',
    '',
    '- **insert**: save · insert',
    '- **find**: findBy',
    '',
    '| operation | path | uuid | binary |',
    '| --- | --- | :-: | :-: |',
    '| insert | tree | ✓, flax refused (1) | refused (2) |',
    '',
    '1. bytes',
    '2. other bytes',
  ])
})

test('a run replaces what it tested, and keeps the rest of the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'matrix-'))
  const page = () => readFileSync(join(folder, 'typeorm.md'), 'utf8')
  try {
    const first = [cell({ database: 'mysql', path: 'by mysql' }), cell({ path: 'stale' })]
    writeMatrixPage(folder, 'TypeORM', first, 'MariaDB')
    expect(page()).toMatch(/## PostgreSQL\n[^#]*stale[^#]*## MariaDB\n[^#]*by mysql/)
    writeMatrixPage(folder, 'TypeORM', [cell({ path: 'new' })], 'MySQL')
    expect(page()).toMatch(/## PostgreSQL\n[^#]*new[^#]*## MariaDB\n[^#]*by mysql/)
    expect(page()).not.toContain('stale')
    const once = page()
    writeMatrixPage(folder, 'TypeORM', [cell({ path: 'new' })], 'MySQL')
    expect(page()).toBe(once)
    writeMatrixPage(folder, 'TypeORM', [cell({ database: 'mysql', path: 'another' })], 'MySQL')
    expect(page()).toMatch(/## MySQL\n[^#]*another[^#]*## MariaDB\n[^#]*by mysql/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
