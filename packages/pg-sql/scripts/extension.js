// Writes the files of CREATE EXTENSION, and the statement of pg_tle, into extension/: the text of an installation, for
// servers whose extensions are files, and for those that keep them in a table.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'

/** Versions that ALTER EXTENSION … UPDATE brings to this one. */
const EARLIER = /** @type {string[]} */ ([])

/** What a dump must not lose: it has no rows of an extension's tables, nor a sequence's value, unless they are named. */
const AFTER = `
-- flake's stays, for it belongs to an epoch that is lost with the number.
${['sno_state', '_sno_timeline', 'uid_state', '_uid_timeline', 'uid_local_state', '_uid_local_timeline']
  .map((sequence) => `SELECT pg_catalog.pg_extension_config_dump('snoflax.${sequence}', '');`)
  .join('\n')}
`

const COMMENT = 'ids that sort by time: flax, sno, flake, uid'

/**
 * Names and texts of the files.
 *
 * @param {{ version: string, script: string, earlier?: readonly string[] }} made script as installSql() gives it
 * @returns {Record<string, string>}
 */
export function extensionFiles({ version, script, earlier = EARLIER }) {
  const installed = `SELECT pg_catalog.set_config('snoflax.extension', 'on', true);\n${script}${AFTER}`
  const created = `CREATE SCHEMA snoflax;\n${installed}`
  /** @param {string} command @param {string} text */
  const file = (command, text) => `\\echo Use "${command}" to load this file. \\quit\n${text}`
  return {
    'snoflax.control': [
      `comment = '${COMMENT}'`,
      `default_version = '${version}'`,
      'relocatable = false',
      '# Any role that may create a schema installs it, as itself: nothing runs as a superuser, now or later.',
      'superuser = false',
      'trusted = true',
      '',
    ].join('\n'),
    [`snoflax--${version}.sql`]: file('CREATE EXTENSION snoflax', created),
    ...Object.fromEntries(
      earlier.map((before) => [
        `snoflax--${before}--${version}.sql`,
        file('ALTER EXTENSION snoflax UPDATE', installed),
      ]),
    ),
    'snoflax.pg_tle.sql': [
      '-- For pg_tle, where it is CREATE EXTENSION snoflax after this.',
      `SELECT pgtle.install_extension('snoflax', '${version}', '${COMMENT}', ${quoted(created)});`,
      ...earlier.map(
        (before) =>
          `SELECT pgtle.install_update_path('snoflax', '${before}', '${version}', ${quoted(installed)});`,
      ),
      `SELECT pgtle.set_default_version('snoflax', '${version}');`,
      '',
    ].join('\n'),
  }
}

/** @param {string} text */
function quoted(text) {
  const tag = '$_snoflax_pg_tle_$'
  if (text.includes(tag)) throw new Error(`the script has ${tag}`)
  return `${tag}${text}${tag}`
}

if (process.argv[1] === import.meta.filename) {
  const { installSql, VERSION } = await import('@snoflax/pg-sql')
  const folder = new URL('../extension/', import.meta.url)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const files = extensionFiles({ version: VERSION, script: installSql() })
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text)
}
