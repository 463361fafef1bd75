import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { UsageError } from '../exit.js'

/** Sources, and Prisma's schemas. */
const READ = /(?<!\.d)\.[cm]?[jt]sx?$|\.prisma$/i
const SKIPPED = /^(?:\.|node_modules$|dist$|build$|coverage$|generated$)/
/** What an interrupted run leaves beside a file. */
const BESIDE = /^\.(.+)\.snoflax-new$/

export interface Files {
  /** Their texts, by their paths from this folder. */
  readonly texts: ReadonlyMap<string, string>
  /** Files beside others, which an interrupted run has not renamed. */
  readonly leftovers: readonly string[]
  /**
   * Writes all files beside the old ones, then renames them.
   *
   * @throws {UsageError} if one can't be replaced; then all are as they were
   */
  replace(texts: ReadonlyMap<string, string>): void
}

/** Files of folders, and of those below; links in them are not followed. @throws {UsageError} for a missing path. */
export function readFiles(paths: readonly string[]): Files {
  const [found, leftovers] = [new Set<string>(), new Set<string>()]
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) throw new UsageError(`${path} does not exist`)
    if (!stats.isFile() && !stats.isDirectory()) throw new UsageError(`${path} is no file and no folder`)
    // A link that was named is one to follow, and its target is what a new file replaces.
    const own = lstatSync(path).isSymbolicLink() ? realpathSync(path) : path
    if (stats.isFile()) found.add(relative('.', own))
    else collect(own, found, leftovers)
  }
  const bytes = new Map([...found].sort().map((file) => [file, readFileSync(file)]))
  return {
    texts: new Map([...bytes].map(([file, one]) => [file, decoded(one).text])),
    leftovers: [...leftovers],
    replace: (texts) => {
      replaceAll(
        [...texts].map(([file, text]) => {
          const before = bytes.get(file) as Buffer
          return { file, before, after: Buffer.from(text, decoded(before).encoding) }
        }),
      )
      for (const one of leftovers) rmSync(one, { force: true })
    },
  }
}

function collect(folder: string, found: Set<string>, leftovers: Set<string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!SKIPPED.test(entry.name)) collect(path, found, leftovers)
    } else if (!entry.isFile()) continue
    else if (READ.test(entry.name)) found.add(relative('.', path))
    else if (BESIDE.test(entry.name)) leftovers.add(relative('.', path))
  }
}

/** A text whose bytes all come back: those of UTF-8, else each byte a character. */
function decoded(bytes: Buffer): { text: string; encoding: 'utf8' | 'latin1' } {
  try {
    return {
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      encoding: 'utf8',
    }
  } catch {
    return { text: bytes.toString('latin1'), encoding: 'latin1' }
  }
}

interface Replaced {
  readonly file: string
  readonly before: Buffer
  readonly after: Buffer
}

const besideOf = (file: string): string => join(dirname(file), `.${basename(file)}.snoflax-new`)

function replaceAll(files: readonly Replaced[]): void {
  const [beside, renamed]: [string[], Replaced[]] = [[], []]
  try {
    for (const { file, after } of files) beside.push(writeBeside(file, after))
    for (const one of files) {
      if (!readFileSync(one.file).equals(one.before)) throw new Error('it has changed since it was read')
      renameSync(besideOf(one.file), one.file)
      renamed.push(one)
    }
  } catch (error) {
    const { file } = files[beside.length] ?? (files[renamed.length] as Replaced)
    for (const one of renamed) {
      writeBeside(one.file, one.before)
      renameSync(besideOf(one.file), one.file)
    }
    for (const path of beside) rmSync(path, { force: true })
    throw new UsageError(`${file} can't be replaced: ${(error as Error).message}; all files are as they were`)
  }
}

function writeBeside(file: string, bytes: Buffer): string {
  const path = besideOf(file)
  rmSync(path, { force: true })
  const descriptor = openSync(path, 'wx')
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    fchmodSync(descriptor, statSync(file).mode)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return path
}
