import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const CORE = ['flake', 'flax', 'prefixed', 'primitives', 'sno'].map((name) => `core/src/${name}/`)
const FOLDERS = [...CORE, 'leases/src/', 'families/src/uid/'].map(
  (path) => new URL(`../packages/${path}`, import.meta.url),
)

/** The sources with all mutants in them. `globalThis.__stryker__.activeMutant` selects one. */
export async function instrumented() {
  /** @type {any} */
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => fileURLToPath(new URL(name, folder))),
  )
  const files = paths.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }))
  // Texts of messages are no promises; test/messages.test.ts reads their words.
  return new Instrumenter(silent).instrument(files, {
    plugins: null,
    ignorers: [],
    excludedMutations: ['StringLiteral'],
  })
}
