import { VERSION } from '@snoflax/pg-sql'
import type { Finding } from '../finding.js'
import { type Installation, installCommand } from './installation.js'

/** Another version of pg-sql than that of this package. */
export function checkVersion(installed: Installation): Finding[] {
  const { schema, version } = installed
  if (version === VERSION) return []
  const isNewer = isAbove(version, VERSION)
  return [
    {
      check: 'version',
      severity: 'warning',
      where: `schema ${schema}`,
      message: `pg-sql ${version} is installed, ${isNewer ? 'newer' : 'older'} than ${VERSION}, which this command knows`,
      cure: { shell: isNewer ? `npm install @snoflax/pg-sql@${version}` : installCommand(installed) },
    },
  ]
}

/** A pre-release counts as its release. */
function isAbove(a: string, b: string): boolean {
  const parts = (version: string): number[] => (version.split('-')[0] as string).split('.').map(Number)
  const [left, right] = [parts(a), parts(b)]
  const at = left.findIndex((part, n) => part !== right[n])
  return at >= 0 && (left[at] as number) > (right[at] ?? 0)
}
