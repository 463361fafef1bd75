import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { instrumented } from './mutate.instrument.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** How many times fewer inputs each property is tried with, since it is tried again with each mutant. */
const FEWER = Number(process.env['SNOFLAX_MUTATE_FEWER'] ?? 20)

/** Most mutants end at the first test that reaches them, so what takes long comes last. */
const LONG = /backfill|cases|guarded|malformed|prefixed|snapshot|uniqueness|waiting/
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const placeOf = ({ moduleId }: TestSpecification) => `${LONG.test(moduleId)} ${moduleId}`
    return files.sort((a, b) => placeOf(a).localeCompare(placeOf(b)))
  }
}

const sources = new Map(
  (await instrumented()).files.map(({ name, content }: { name: string; content: string }) => [name, content]),
)

/** Core's tests of what `npm run mutate` changes. Processes run what was built, which it does not. */
export default defineConfig({
  root: at('../packages/core'),
  resolve: { alias: [{ find: /^@snoflax\/([^/]+)/, replacement: at('../packages/$1/src') }] },
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => sources.get(id),
      transform: (code, id) =>
        id.includes('/core/test/')
          ? code.replaceAll(/numRuns: ([\w.]+)/g, `numRuns: Math.ceil($1 / ${FEWER})`)
          : undefined,
    },
  ],
  test: {
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    runner: at('mutate.runner.js'),
    sequence: { sequencer: QuickFirst },
    testTimeout: 10_000,
    // Mutants leave promises that nobody waits for.
    dangerouslyIgnoreUnhandledErrors: true,
    include: [
      'test/{generators,leases,prefixed,malformed,vectors}/**/*.test.ts',
      'test/{cases,standard-schema,realms,errors}.test.ts',
    ],
    exclude: ['**/processes.long.test.ts', '**/process-end.test.ts', '**/two-copies.test.ts'],
  },
})
