// Writes dist/space.json: the SQL of every version that was released, from space/, and that of @snoflax/pg-sql as it is, if it
// differs. With --freeze, for a release, it goes to space/ first, where it stays as it is for ever.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installStatements, VERSION } from '@snoflax/pg-sql'

const root = join(import.meta.dirname, '..')
const frozenIn = join(root, 'space')
mkdirSync(frozenIn, { recursive: true })

const versions = readdirSync(frozenIn)
  .sort()
  .map((file) => JSON.parse(readFileSync(join(frozenIn, file), 'utf8')))
const statements = [
  ...installStatements(),
  // The type of text columns: the order of bytes, whatever the collation of the database.
  `DO $$ BEGIN
  IF to_regtype('snoflax.id_text') IS NULL THEN CREATE DOMAIN snoflax.id_text AS text COLLATE "C"; END IF;
END $$`,
  // So that `snoflax doctor` does not take it for a stranger's.
  `INSERT INTO snoflax._manifest (object, name, position, parts, version, server)
SELECT object, name, ${installStatements().length}, parts, '${VERSION}', current_setting('server_version_num')::integer / 10000
  FROM snoflax._definitions() WHERE name = 'id_text'
ON CONFLICT (object) DO UPDATE SET version = EXCLUDED.version, server = EXCLUDED.server`,
]

if (JSON.stringify(versions.at(-1)?.statements) !== JSON.stringify(statements)) {
  const isFreezing = process.argv.includes('--freeze')
  // Until it is frozen it may change, and its name says so.
  const now = isFreezing ? new Date() : new Date('2999-01-01')
  const [date] = now.toISOString().replaceAll(/[-:]/g, '').split('.')
  const version = {
    name: `${date?.slice(0, 13)}_${isFreezing ? `install_${versions.length + 1}` : 'unreleased'}`,
    createdAt: now.toISOString(),
    statements,
  }
  versions.push(version)
  if (isFreezing)
    writeFileSync(join(frozenIn, `${version.name}.json`), `${JSON.stringify(version, undefined, 2)}\n`)
}

mkdirSync(join(root, 'dist'), { recursive: true })
writeFileSync(join(root, 'dist/space.json'), JSON.stringify(versions))
