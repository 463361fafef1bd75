import { existsSync, readdirSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { at } from './workspace.js'

test.each(['packages', 'tools', 'examples'])('`tsc -b` reaches everything in %s', (parent) => {
  const { config } = ts.readConfigFile(at('tsconfig.json'), ts.sys.readFile)
  const reached = config.references.map(({ path }: { path: string }) => path)
  const wanted = readdirSync(at(parent))
    .map((name) => `${parent}/${name}`)
    .filter(
      (folder) =>
        existsSync(at(`${folder}/tsconfig.json`)) &&
        !existsSync(at(`${folder}/pnpm-workspace.yaml`)) &&
        // Compiled where they are installed, by test/platforms/starters.ts.
        !folder.startsWith('examples/starter-'),
    )
  expect(wanted.filter((folder) => !reached.includes(folder))).toEqual([])
})
