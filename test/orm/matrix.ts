import { existsSync } from 'node:fs'
import { describeMatrix, type MatrixAdapter } from '@snoflax/test/contract'
import { inject, test } from 'vitest'

/** The matrix of writes and reads of the vitest project that runs this file: its `matrix.ts` beside the adapter of the contract. */
export async function describeItsMatrix(options?: { readonly isWhole: boolean }): Promise<void> {
  const file = inject('snoflaxAdapter').replace(/adapter\.ts$/, 'matrix.ts')
  if (!existsSync(file)) return test.skip('this project has no matrix', () => {})
  const { default: adapter }: { default: MatrixAdapter<unknown> } = await import(/* @vite-ignore */ file)
  describeMatrix(adapter, options)
}
