// Mutation testing of core's generators, codecs and leases: `npm run mutate`, before a release; hours on two cores.
// `npm run mutate -- --mutate 'packages/core/src/leases/*.ts'` does a part. The report lies in .stryker/.

export default {
  packageManager: 'pnpm',
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/stryker.vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: ['packages/core/src/{flake,flax,leases,prefixed,primitives,sno,uid}/**/*.ts'],
  ignorePatterns: ['dist', 'cjs', 'site', 'docs/site', 'examples', 'bench', '.vitest', '.stryker'],
  coverageAnalysis: 'perTest',
  // Messages are compared by test/messages.txt.
  mutator: { excludedMutations: ['StringLiteral'] },
  timeoutMS: 20_000,
  concurrency: 2,
  reporters: ['clear-text', 'html', 'progress-append-only'],
  htmlReporter: { fileName: '.stryker/report.html' },
  tempDirName: '.stryker/sandbox',
  thresholds: { high: 95, low: 90, break: null },
}
