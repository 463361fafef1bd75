import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project as projectOf } from './adopting.js'
import { cli } from './running.js'

const project = () => projectOf({})

const schema = (name: string): string => `import { nanoid } from 'nanoid'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const ${name} = sqliteTable('${name}', { id: text('id').primaryKey().$defaultFn(() => nanoid()) })
`
const write = (...paths: string[]) => cli(['adopt', 'code', '--write', '--unchecked', ...paths])

test('bytes outside the edited lines stay, whatever their encoding', async () => {
  const folder = project()
  const files = {
    'latin1.ts': Buffer.from(`// caf\xe9 \xff\n${schema('users')}// \xfc`, 'latin1'),
    'bom.ts': Buffer.from(`\ufeff${schema('posts')}// 日本`, 'utf8'),
  }
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes)
  chmodSync(join(folder, 'bom.ts'), 0o640)
  expect((await write(folder)).code).toBe(0)
  const [latin1, bom] = Object.keys(files).map((name) => readFileSync(join(folder, name)))
  expect(latin1?.subarray(0, 10)).toEqual(files['latin1.ts'].subarray(0, 10))
  expect(latin1?.at(-1)).toBe(0xfc)
  expect(latin1?.includes('idColumn')).toBe(true)
  expect(bom?.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]))
  expect(bom?.toString()).toContain('// 日本')
  expect(statSync(join(folder, 'bom.ts')).mode & 0o777).toBe(0o640)
})

test('no link is followed, and what is no regular file is skipped', async () => {
  const [folder, outside] = [project(), project()]
  writeFileSync(join(outside, 'theirs.ts'), schema('theirs'))
  writeFileSync(join(folder, 'ours.ts'), schema('ours'))
  symlinkSync(outside, join(folder, 'linked'))
  symlinkSync(join(outside, 'theirs.ts'), join(folder, 'link.ts'))
  symlinkSync(folder, join(folder, 'itself'))
  execFileSync('mkfifo', [join(folder, 'pipe.ts')])
  const { code, out } = await write(folder)
  expect(code).toBe(0)
  expect(out).not.toContain('theirs')
  expect(readFileSync(join(outside, 'theirs.ts'), 'utf8')).toBe(schema('theirs'))
  expect(await write(join(folder, 'pipe.ts'))).toMatchObject({ code: 2 })
})

test('files that import, export and call each other in circles end', async () => {
  const folder = project()
  const files = {
    'a.ts': "export * from './b.js'\nexport { id } from './b.js'\nimport { key } from './b.js'\n",
    'b.ts': `import { text, sqliteTable } from 'drizzle-orm/sqlite-core'
export * from './a.js'
export { id } from './a.js'
const loop = () => again()
const again = () => loop()
const itself = { ...itself }
export const key = () => key()
export const users = sqliteTable('users', { ...itself, ...loop(), id: key().primaryKey(), other: text('o').$defaultFn(again).primaryKey() })
export const posts = sqliteTable('posts', { id: text('id').primaryKey().$defaultFn(() => id()) })
`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  expect(await cli(['adopt', 'code', folder])).toMatchObject({ code: 3, err: '' })
})

test('a line end in the name of a file is no line of the output', async () => {
  const folder = project()
  const name = 'a\n--- forged.ts\u001b[2J.ts'
  writeFileSync(join(folder, name), schema('users'))
  const { out } = await cli(['adopt', 'code', folder])
  expect(out).not.toMatch(/^--- forged/m)
  expect(out).not.toContain('\u001b')
  expect(out).toMatch(/^--- "a\/.*\\012--- forged/m)
})

test('if one file cannot be replaced, all stay as they were', async () => {
  const folder = project()
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'schema.ts'), schema(name))
  }
  // A folder of this name is in the way, for root too.
  mkdirSync(join(folder, 'b', '.schema.ts.snoflax-new', 'kept'), { recursive: true })
  const { code, err } = await write(folder)
  expect(code).toBe(2)
  expect(err).toContain('all files are as they were')
  for (const name of ['a', 'b', 'c'])
    expect(readFileSync(join(folder, name, 'schema.ts'), 'utf8')).toBe(schema(name))
  expect(readdirSync(join(folder, 'a'))).toEqual(['schema.ts'])
})

test('what a killed run left beside files is named, and removed by the next that writes', async () => {
  const folder = project()
  writeFileSync(join(folder, 'schema.ts'), schema('users'))
  const left = join(folder, '.schema.ts.snoflax-new')
  writeFileSync(left, 'half')
  expect((await cli(['adopt', 'code', folder])).out).toContain('was left by a run that was killed')
  expect(existsSync(left)).toBe(true)
  await write(folder)
  expect(existsSync(left)).toBe(false)
})
