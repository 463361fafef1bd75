import { existsSync } from 'node:fs'
import { install } from '@snoflax/pg-sql'
import { POSTGRES_VERSIONS, type PostgresServer, startServer } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// Debian has the extension for its own PostgreSQL: apt-get install postgresql-15-plpgsql-check

const version = POSTGRES_VERSIONS.filter((one) =>
  existsSync(`/usr/lib/postgresql/${one}/lib/plpgsql_check.so`),
).at(-1)
if (version === undefined) {
  console.warn('plpgsql_check: NOT RUN, for no PostgreSQL below /usr/lib/postgresql has the extension')
}

/** What it reports of functions that are right, and why they are. */
const EXPLAINED = [
  // Initialized by a check that raises, and not needed afterwards.
  /^(flax|sno|uid)_(encode|to_uuid) warning extra: never read variable "bytes"$/,
  // It is made of the name of a function that is there, and of quoted numbers.
  /^partition_ddl security: text type variable is not sanitized/,
]

describe.skipIf(version === undefined)(
  `plpgsql_check, ${version ? `PostgreSQL ${version}` : 'NOT RUN'}`,
  () => {
    let server: PostgresServer
    beforeAll(async () => {
      if (version === undefined) return
      server = await startServer({ version, installation: `/usr/lib/postgresql/${version}` })
    })
    afterAll(() => server?.stop())

    test('finds nothing in the functions but what is explained', async () => {
      const database = await server.database()
      await install(database.pool)
      await database.query('CREATE EXTENSION plpgsql_check SCHEMA public')
      const checked = `FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
      CROSS JOIN LATERAL public.plpgsql_check_function_tb(p.oid, fatal_errors => false, extra_warnings => true,
        performance_warnings => false, security_warnings => true, all_warnings => false) f
     WHERE p.pronamespace = 'snoflax'::regnamespace AND l.lanname = 'plpgsql'`
      const rows = await database.query(
        `SELECT DISTINCT concat_ws(' ', p.proname, f.level) || ': ' || concat_ws(' ', f.message, f.detail) AS line ${checked} ORDER BY 1`,
      )
      const lines = rows.map(({ line }) => String(line))
      expect(lines.filter((line) => !EXPLAINED.some((known) => known.test(line)))).toEqual([])
      await database.query(
        `CREATE FUNCTION snoflax._wrong() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN absent; END'`,
      )
      const wrong = await database.query(`SELECT f.message ${checked} AND p.proname = '_wrong'`)
      expect(wrong).toMatchObject([{ message: expect.stringContaining('absent') }])
    })
  },
)
