import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sno } from '@snoflax/core'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('programs/wait.js', import.meta.url))

test('waiting for a number keeps a process alive, and a lease does not', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { timeout: 240_000 })
  expect(sno.unpack(sno.parse(stdout)).partition).toBe(7)
})
