import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@snoflax\/test$/, replacement: at('../databases.ts') },
      { find: /^@snoflax\/([^/]+)/, replacement: at('../../packages/$1/src') },
    ],
  },
  test: {
    root: import.meta.dirname,
    include: ['neighbours.ts', 'pg-partman.ts'],
    globalSetup: at('../databases/global-setup.ts'),
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
