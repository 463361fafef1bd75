import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { diagnosticsOf } from './project/compile.js'
import { generateProject } from './project/generate.js'
import { type ShopOptions, shopProject } from './shop/schema.js'

const SOURCE = fileURLToPath(new URL('./shop/types-of-clients.txt', import.meta.url))

const NEW = {
  client: 'prisma-client',
  entry: './client/client.ts',
  module: './snoflax/index.ts',
  model: "import('./client/models.js').OrderModel",
} as const
const OLD = {
  client: 'prisma-client-js',
  entry: './client/index.js',
  module: './snoflax/index.js',
  model: "import('./client/index.js').Order",
} as const

interface Client extends ShopOptions {
  readonly entry: string
  readonly module: string
  readonly model: string
}

const CLIENTS: readonly Client[] = [
  { ...NEW, database: 'postgresql', brands: 'results' },
  { ...NEW, database: 'postgresql', brands: 'strict' },
  { ...OLD, database: 'postgresql', brands: 'strict' },
  { ...OLD, database: 'sqlite', brands: 'results' },
]

describe.each(CLIENTS)('with $client, brands = $brands', ({ entry, module, model, ...options }) => {
  let folder: string
  beforeAll(async () => {
    folder = await generateProject(shopProject(options))
  })

  test('results are branded, and what the tests mark as an error is an error', () => {
    const source = readFileSync(SOURCE, 'utf8')
      .replace('CLIENT', entry)
      .replace('MODULE', module)
      .replace('MODEL', model)
      .replaceAll(/^STRICT(.*\n)/gm, options.brands === 'strict' ? '$1' : '')
      .replaceAll(/^LISTS(.*\n)/gm, options.database === 'postgresql' ? '$1' : '')
      .replaceAll(/^RESULTS(.*\n)/gm, options.brands === 'strict' ? '' : '$1')
    expect(source.match(/@ts-expect-error/g)?.length).toBeGreaterThan(5)
    expect(diagnostics('types.ts', source)).toEqual([])
  })

  test('a wrong type is reported, so the check works', () => {
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
