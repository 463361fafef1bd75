import { createRequire } from 'node:module'
import { generate } from './generate.js'

// CommonJS whose names an ES module cannot see, and whose default a CommonJS module cannot.
const helper: typeof import('@prisma/generator-helper') = createRequire(import.meta.url)(
  '@prisma/generator-helper',
)

/** Answers what `prisma generate` asks of a generator, over standard input and error. */
export function runGenerator(): void {
  helper.generatorHandler({
    onManifest: () => ({ prettyName: 'snoflax ids', defaultOutput: '../generated/snoflax' }),
    onGenerate: generate,
  })
}
