import { execFileSync } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'

/** The user that a server runs as where the run is root's; nothing where it runs as whoever runs it. */
export type Owner = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root: as root, a user that lends its name, found and never created. */
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
