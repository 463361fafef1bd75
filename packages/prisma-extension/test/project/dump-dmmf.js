// A generator that writes down what Prisma tells generators, for the test that walks through it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import helper from '@prisma/generator-helper'

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'DMMF', defaultOutput: './dmmf' }),
  onGenerate: async ({ dmmf, generator }) => {
    mkdirSync(generator.output.value, { recursive: true })
    writeFileSync(join(generator.output.value, 'dmmf.json'), JSON.stringify(dmmf))
  },
})
