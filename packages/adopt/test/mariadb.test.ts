import { sno } from '@snoflax/core'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { chinookTables, KEY_KINDS, makers, picture } from './chinook.js'
import { openShop } from './mariadb-chinook.js'
import { plan, shapeOf } from './moves.js'

let database: MysqlDatabase
afterEach(() => database.close())

describe.runIf(mysql.selected())('mariadb', () => {
  test.each(KEY_KINDS)('the shop with %s keys moves, and is what it was', async (kind) => {
    database = await openShop(kind)
    const before = await picture(database.query)
    const shape = await shapeOf(database)
    const tables = chinookTables(kind, makers['sno'] as never)
    const adoption = await plan(database, tables)
    expect(await shapeOf(database)).toEqual(shape)
    expect(adoption.sql).toMatch(/-- switchKeys: one RENAME/)
    await adoption.backfill({ batchSize: 300 })
    expect(await picture(database.query)).toEqual(before)
    expect((await adoption.verify()).faults).toEqual([])
    await adoption.switchKeys()
    expect((await adoption.verify()).faults).toEqual([])
    expect(await picture(database.query)).toEqual(before)
    const [first] = await database.query('SELECT id FROM invoice ORDER BY invoice_date, legacy_id LIMIT 1')
    expect(sno.timeMs((first as { id: Buffer }).id as never)).toBeGreaterThan(0)
    await adoption.finish()
    expect(await picture(database.query)).toEqual(before)
    expect(await shapeOf(database)).toEqual(shape)
  })
})
