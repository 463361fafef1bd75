import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { flax } from '@snoflax/core'
import { expect, test } from 'vitest'

// Drizzle's package has two copies of itself. Our hooks reach the one for `import`; the README tells what that means.
test('an application that loads Drizzle by require', async () => {
  const program = fileURLToPath(new URL('commonjs/program.cjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', program])
  const { customer, order, found, nested } = JSON.parse(stdout)
  expect(flax.is(customer.id)).toBe(true)
  expect(order.customerId).toBe(customer.id)
  expect(found).toEqual([customer])
  expect(nested).toContain('JSON cannot hold BLOB values')
})
