import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const SOURCES = new URL('../packages/core/src/', import.meta.url)
const FOLDERS = ['flake', 'flax', 'leases', 'prefixed', 'primitives', 'sno', 'uid']

/** Core's sources with all mutants in them. `globalThis.__stryker__.activeMutant` selects one. */
export async function instrumented() {
  /** @type {any} */
  const silent = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, SOURCES))
      .sort()
      .map((name) => fileURLToPath(new URL(`${folder}/${name}`, SOURCES))),
  )
  const files = paths.map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }))
  // Texts of messages are no promises; test/messages.test.ts reads their words.
  return new Instrumenter(silent).instrument(files, {
    plugins: null,
    ignorers: [],
    excludedMutations: ['StringLiteral'],
  })
}
