import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const project = (name: string, root: string, include: string) => ({
  extends: true as const,
  test: { name, root: at(root), include: [include] },
})

export default defineConfig({
  // A package's public name leads to its sources, subpaths too, so that watching needs no build.
  resolve: { alias: [{ find: /^@snoflax\/([^/]+)/, replacement: at('packages/$1/src') }] },
  test: {
    // The first start of a database in a busy process takes seconds.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      ...readdirSync(at('packages')).map((name) => project(name, `packages/${name}`, 'test/**/*.test.ts')),
      project('across packages', 'test', '**/*.test.ts'),
    ],
  },
})
