import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COLUMNS, type Columns, idsOf, SHAPES, shapeProject } from './differential/shapes.js'
import { diagnosticsOf } from './project/compile.js'
import { generateProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

// Schemas with the shapes of applications that people run: see corpus/README.md. Every run generates all of them, and
// compiles some; SNOFLAX_CASES has it compile all.

const IS_WHOLE = process.env['SNOFLAX_CASES'] !== undefined
const COMPILED = ['visits']

const columns = COLUMNS['pglite']?.[0] as Columns

test('the page of the corpus names the source of each shape', () => {
  const page = readFileSync(new URL('corpus/README.md', import.meta.url), 'utf8')
  const told = [...page.matchAll(/^\| `(\S+)` \| (?:\[(\S+)\])?/gm)].map(([, name, from]) => [name, from])
  const written = Object.entries(SHAPES).map(([name, shape]) => [name, /^\/\/ (\S+\/\S+)$/m.exec(shape)?.[1]])
  expect(told.sort()).toEqual(written.sort())
})

describe.each(Object.entries(SHAPES))('%s', (name, shape) => {
  test.each(['prisma-client', 'prisma-client-js'] as const)(
    'every id of it works with %s',
    async (client) => {
      const folder = await generateProject(shapeProject(shape, { columns, isPlain: false, client }))
      const { configuration } = await generatedModule(folder)
      const ids = Object.entries<object>(configuration.models).flatMap(([model, fields]) =>
        Object.keys(fields).map((field) => `${model}.${field}`),
      )
      expect(ids.sort()).toEqual(idsOf(shape, columns).sort())
      if (!IS_WHOLE && !COMPILED.includes(name)) return
      const entry = client === 'prisma-client' ? 'client' : 'index'
      const file = join(folder, 'all.ts')
      writeFileSync(file, `export * from './client/${entry}.js'\nexport * from './snoflax/index.js'\n`)
      const found = diagnosticsOf(file, { skipLibCheck: false })
      // Prisma's copied runtime imports a package that only Prisma's own client can see.
      expect(found.filter((line) => !line.startsWith('client/runtime/'))).toEqual([])
    },
  )
})
