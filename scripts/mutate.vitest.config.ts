import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { instrumented } from './mutate.instrument.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The factor by which each property gets fewer inputs, since it is tried again with each mutant. */
const FEWER = Number(process.env['SNOFLAX_MUTATE_FEWER'] ?? 20)

/** The first test that reaches a mutant usually kills it, so slow files come last. */
const LONG = /backfill|cases|malformed|prefixed|snapshot|uniqueness|waiting/
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const placeOf = ({ moduleId }: TestSpecification) => `${LONG.test(moduleId)} ${moduleId}`
    return files.sort((a, b) => placeOf(a).localeCompare(placeOf(b)))
  }
}

const sources = new Map(
  (await instrumented()).files.map(({ name, content }: { name: string; content: string }) => [name, content]),
)

/** The tests of the sources that `npm run mutate` changes, without those of processes, which run the build. */
export default defineConfig({
  root: at('../packages/core'),
  resolve: { alias: [{ find: /^@snoflax\/([^/]+)/, replacement: at('../packages/$1/src') }] },
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: (id) => sources.get(id),
      transform: (code, id) =>
        /\/(?:core\/test|families\/test\/uid)\//.test(id)
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
    // Mutants leave unhandled rejections.
    dangerouslyIgnoreUnhandledErrors: true,
    include: [
      'test/{generators,prefixed,malformed,vectors}/**/*.test.ts',
      'test/{cases,realms,errors}.test.ts',
      at('../packages/leases/test/*.test.ts'),
      at('../packages/families/test/uid/*.test.ts'),
    ],
    exclude: ['**/processes.long.test.ts', '**/process-end.test.ts'],
  },
})
