import { existsSync } from 'node:fs'
import { describeFeatures, type FeatureAdapter } from '@snoflax/test/contract'
import { inject, test } from 'vitest'

/** The features of the vitest project that runs this file: its `features.ts` beside the adapter of the contract. */
export async function describeItsFeatures(options?: { readonly isWhole: boolean }): Promise<void> {
  const file = inject('snoflaxAdapter').replace(/adapter\.ts$/, 'features.ts')
  if (!existsSync(file)) return test.skip('this project has no features', () => {})
  const { default: adapter }: { default: FeatureAdapter } = await import(/* @vite-ignore */ file)
  describeFeatures(adapter, options)
}
