import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { cli, json } from './running.js'

const root = fileURLToPath(new URL('../.vitest', import.meta.url))
mkdirSync(root, { recursive: true })
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Place {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly text: string
}

/** What `snoflax adopt code --json` prints. */
export interface Told {
  readonly keys: readonly Place[]
  readonly references: readonly Place[]
  readonly left: readonly Place[]
  readonly unread: readonly Place[]
  readonly notes: readonly Place[]
  readonly counts: { tables: number; keys: number; references: number }
  readonly stored?: readonly { name: string; text: string }[]
  readonly refused?: readonly string[]
  readonly next: readonly string[]
  readonly diff: string
}

/** A folder of an application, until the end of the test file. */
export function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, 'adopt-code-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Adopts the files, and returns the first one as it is then. */
export async function adopt(files: Readonly<Record<string, string>> | string, ...options: string[]) {
  const given = typeof files === 'string' ? { 'schema.ts': files } : files
  const folder = project(given)
  const ran = await cli(['adopt', 'code', folder, '--json', '--write', ...options])
  if (ran.code === 2) throw new Error(ran.err)
  const told = json<Told>(ran)
  return {
    ...told,
    code: ran.code,
    after: readFileSync(join(folder, Object.keys(given)[0] as string), 'utf8'),
  }
}
