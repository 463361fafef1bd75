import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { diagnosticsOf } from './project/compile.js'
import { generateProject } from './project/generate.js'
import { type ShopOptions, shopProject } from './shop/schema.js'

const SOURCE = fileURLToPath(new URL('./shop/types-of-clients.txt', import.meta.url))

const CLIENTS: readonly (ShopOptions & { entry: string; module: string })[] = [
  {
    database: 'postgresql',
    client: 'prisma-client',
    entry: './client/client.ts',
    module: './snoflax/index.ts',
  },
  {
    database: 'sqlite',
    client: 'prisma-client-js',
    entry: './client/index.js',
    module: './snoflax/index.js',
  },
]

describe.each(CLIENTS)('with $client', ({ entry, module, ...options }) => {
  let folder: string
  beforeAll(async () => {
    folder = await generateProject(shopProject(options))
  })

  test('results are branded, and what the tests mark as an error is one', () => {
    const source = readFileSync(SOURCE, 'utf8').replace('CLIENT', entry).replace('MODULE', module)
    expect(source.match(/@ts-expect-error/g)?.length).toBeGreaterThan(5)
    expect(diagnostics('types.ts', source)).toEqual([])
  })

  test('a wrong type is seen', () => {
    expect(diagnostics('wrong.ts', 'export const wrong: number = "text"\n')).toEqual([
      "wrong.ts:1 Type 'string' is not assignable to type 'number'.",
    ])
  })

  function diagnostics(name: string, source: string): string[] {
    const file = join(folder, name)
    writeFileSync(file, source)
    return diagnosticsOf(file)
  }
})
