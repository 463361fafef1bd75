import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['platforms.ts', 'release.ts', 'start-pages.ts', 'starters.ts'],
    // Installs wait for the network as much as for the CPU.
    maxConcurrency: 3,
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
  },
})
