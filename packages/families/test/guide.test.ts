import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const plain = (code: string) => code.replaceAll(/\s+/g, ' ')

// Those that import run by themselves, in test/readme.test.ts.
const blocks = [...read('../../../docs/uuidv7.md').matchAll(/^```ts\n([\s\S]*?)^```/gm)]
  .map(([, code]) => code as string)
  .filter((code) => !code.startsWith('import'))
const tests = plain(read('./existing-tables.test.ts') + read('./existing-tables-kysely.test.ts'))

test('docs/uuidv7.md has code for ORMs', () => expect(blocks).toHaveLength(7))

test.each(blocks.map((code) => [code.trim().split('\n')[0], code]))('%s: runs', (_, code) => {
  expect(tests).toContain(plain(code).trim())
})
