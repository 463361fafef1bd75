import { execFileSync } from 'node:child_process'
import { POSTGRES_VERSIONS, wantedVersion } from '@snoflax/test'

/** The newest version of a server that pg_dump reads, up to the run's; undefined if none is installed. */
export const dumpableVersion = (() => {
  try {
    const own = Number(/(\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1])
    return POSTGRES_VERSIONS.filter((one) => one <= Math.min(own, wantedVersion())).at(-1)
  } catch {
    return undefined
  }
})()
