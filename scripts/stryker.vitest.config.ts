import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Core's tests of what `npm run mutate` changes. Processes run what was built, which it does not. */
export default defineConfig({
  root: at('../packages/core'),
  resolve: { alias: [{ find: /^@snoflax\/([^/]+)/, replacement: at('../packages/$1/src') }] },
  test: {
    testTimeout: 300_000,
    include: [
      'test/{generators,leases,prefixed,malformed,vectors}/**/*.test.ts',
      'test/{cases,standard-schema,realms,errors}.test.ts',
    ],
    exclude: ['**/processes.test.ts', '**/process-end.test.ts', '**/two-copies.test.ts'],
  },
})
