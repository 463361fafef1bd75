import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const ROOM = 4 * 2 ** 30
const NO_PROGRAMS = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m

/**
 * Linux's memory where there is plenty, and where copied servers may run. On a disk SQLite waits for each commit to be flushed, a dozen seconds a file,
 * and making and dropping a PostgreSQL database takes the kernel six times as long.
 */
export function quickFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    const isQuick = bavail * bsize > ROOM && !NO_PROGRAMS.test(readFileSync('/proc/mounts', 'utf8'))
    return isQuick ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}
