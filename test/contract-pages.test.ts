import type { Cell } from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { writePathsPage } from './contract/pages.js'

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

test('paths work in every storage, or stand in a table; other databases name what differs; notes stand once', () => {
  const page = writePathsPage('TypeORM', [
    cell({}),
    cell({ storage: 'binary' }),
    cell({ path: 'insert', unchecked: 'no hook' }),
    cell({ path: 'insert', storage: 'binary' }),
    cell({ operation: 'find', unchecked: 'raw' }),
    cell({ operation: 'find', unchecked: 'raw', storage: 'binary' }),
    cell({ path: 'tree', refused: 'bytes' }),
    cell({ path: 'tree', family: 'sno' }),
    cell({ path: 'tree', storage: 'binary', refused: 'other bytes' }),
    cell({ database: 'mysql', operation: 'find', unchecked: 'raw' }),
    cell({ database: 'mysql', path: 'other', refused: 'bytes' }),
  ])
  expect(page.split('\n\n').slice(1)).toEqual([
    'PostgreSQL\n==========',
    'uuid: flax, sno; binary: flax',
    '- insert: save; insert¹\n- find²: save',
    '| path | uuid | binary |\n| --- | :-: | :-: |\n| insert: tree | ✓, flax ✗³ | ✗⁴ |',
    'MariaDB\n=======',
    'uuid: flax',
    '- as in PostgreSQL, but for: insert',
    '| path | uuid |\n| --- | :-: |\n| insert: other | ✗³ |',
    'Notes\n=====',
    '1. uuid: no hook\n2. raw\n3. bytes\n4. other bytes\n',
  ])
})
