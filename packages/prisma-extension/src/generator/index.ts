import helper from '@prisma/generator-helper'
import { generate } from './generate.js'

/** Answers what `prisma generate` asks of a generator, over standard input and error. */
export function runGenerator(): void {
  helper.generatorHandler({
    onManifest: () => ({ prettyName: 'snoflax ids', defaultOutput: '../generated/snoflax' }),
    onGenerate: generate,
  })
}
