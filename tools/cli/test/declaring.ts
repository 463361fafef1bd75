import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A module with an idPlugin of these tables, or what doctor reads of one, for storages that Kysely refuses. */
export function declaring(name: string, tables: string, kind = 'postgres'): string {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-prefix-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, `${name}.mjs`)
  const url = (path: string): string =>
    new URL(`../../../packages/${path}/esm/index.js`, import.meta.url).href
  writeFileSync(
    file,
    `import { flake, flax, opaque, prefixed, storageFor } from '${url('core')}'
     import { idColumn as column, idPlugin } from '${url('kysely')}'
     const idColumn = (family) =>
       Object.assign((options) => column(family, options), {
         plain: (options) => column.plain(family, options),
         ref: column.ref,
       })
     const behind = (prefix) => idColumn(prefixed(flax, prefix))
     const database = '${kind}'
     const tables = { ${tables} }
     const storageOf = ({ family, options: { storage } }) => storageFor(family, database, { storage })
     const declared = () => Object.entries(tables).flatMap(([table, columns]) =>
       Object.entries(columns).map(([name, column]) => [table + '.' + name, { table, name, storage: storageOf(column) }]))
     export const plugin = ${tables.includes('storage:')} ? { declared: new Map(declared()) }
       : idPlugin({ database, tables })`,
  )
  return file
}
