import { FAMILIES, prefixesOf } from './sql-files.js'

const CREATE =
  'CREATE (?:OR REPLACE )?(?:AGGREGATE|DOMAIN|FUNCTION|SEQUENCE|TABLE|TYPE|VIEW) (?:IF NOT EXISTS )?'

/** The installation's script with manifest.sql at its end, which lists the created objects and the kept families. */
export function withManifest(script: string, schema: string): string {
  const created = script.matchAll(new RegExp(`${CREATE}${schema}\\.(\\w+)`, 'g'))
  const names = new Set(Array.from(created, ([, name]) => name))
  const others = FAMILIES.filter((family) => !names.has(`${family}_is_valid`)).flatMap(prefixesOf)
  return script.replaceAll('@names@', [...names].join(',')).replaceAll('@others@', others.join('|') || 'none')
}
