import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'

/** The user of a server if the run is root's; empty if it runs as the current user. */
export type Owner = { uid?: number; gid?: number }

/** An existing user for PostgreSQL, which refuses to run as root. */
export function serverOwner(): Owner {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // Not a user here.
    }
  }
  throw new Error('root cannot run PostgreSQL, and there is neither a user postgres nor a user nobody')
}

export function give(path: string, { uid, gid }: Owner): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

export function writeFileFor(owner: Owner, path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  give(path, owner)
}
