import { execFile } from 'node:child_process'
import { cpSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { isBefore1, VERSION } from './contract/version.js'

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const run = promisify(execFile)

// Drizzle's package has two copies of itself, for import and for require, and a workspace can have several packages.
describe('an application with its own copy of Drizzle', () => {
  const installed = `../node_modules/drizzle-orm${VERSION && `-${VERSION}`}`
  const elsewhere = at(`../.vitest/copies${VERSION}/node_modules/drizzle-orm`)
  const options = ['--no-warnings', '--enable-source-maps', '--import', at('copies/register.js')]
  beforeAll(() => {
    cpSync(realpathSync(at(installed)), elsewhere, {
      recursive: true,
      filter: (path) => !/\.map$|\.d\.c?ts$/.test(path),
    })
  })

  // What a process requires can't be led to another version by its name.
  const required = [
    ['by require, as the package', ['copies/require.cjs', 'require', 'drizzle-orm']],
    ['by require, beside import', ['copies/require.cjs', 'import', 'drizzle-orm']],
    ['by require, in another folder', ['copies/require.cjs', 'require', elsewhere]],
  ] as const
  test.each([
    ...(isBefore1 ? required : []),
    ['by require, beside import in another folder', ['copies/require.cjs', 'import', elsewhere]],
    ['by import, in another folder', ['copies/import.mjs', elsewhere]],
  ] as const)('works %s', async (_, [program, ...args]) => {
    const { stdout } = await run(process.execPath, [...options, at(program), ...args])
    expect(JSON.parse(stdout)).toEqual({
      typed: ['Ada'],
      parameter: ['Ada'],
      placeholder: [{ name: 'Bob' }],
      isOrder: true,
      nested: true,
      kept: [{ name: 'Ada' }],
    })
  })
})
