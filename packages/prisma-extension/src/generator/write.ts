import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Stands on top of what the generator writes. */
export const MARK = 'Written by snoflax-prisma-generator'

/** What some run may have written, and the next one does not. */
const FILES = ['index.ts', 'index.js', 'index.d.ts', 'collation.sql']

/** Writes the files; those of an earlier run that are none of them would be taken for the module. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const stale = FILES.filter((name) => !Object.hasOwn(files, name))
  await Promise.all([
    ...Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
    ...stale.map((name) => removeWritten(join(folder, name))),
  ])
}

async function removeWritten(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.slice(0, 100).includes(MARK)) await rm(file)
}
