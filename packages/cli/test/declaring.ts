import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A module with an idPlugin of these tables, until the test ends. */
export function declaring(name: string, tables: string, kind = 'postgres'): string {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-prefix-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, `${name}.mjs`)
  const url = (path: string): string => new URL(`../../${path}/esm/index.js`, import.meta.url).href
  writeFileSync(
    file,
    `import { flake, flax, prefixed } from '${url('core')}'
     import { typeid } from '${url('families')}'
     import { idColumn, idPlugin } from '${url('kysely')}'
     const behind = (prefix) => idColumn(prefixed(flax, prefix))
     export const plugin = idPlugin({ database: '${kind}', tables: { ${tables} } })`,
  )
  return file
}
