import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { flake, flax, IdError, type IdFamily, prefixed, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { seal } from '@snoflax/seal'
import { onConnection, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const SQL = readFileSync(new URL('../sql/seal.sql', import.meta.url), 'utf8')
const KEY = createHash('sha256').update('a key of the SQL tests').digest()
const CASES = Number(process.env['SNOFLAX_CASES'] ?? 2000)

const KINDS = [
  ['flax', '', flax],
  ['flax', 'cus', prefixed(flax, 'cus')],
  ['sno', '', sno],
  ['sno', 'order_line', prefixed(sno, 'order_line')],
  ['flake', 'evt', prefixed(flake, 'evt')],
  ['uid', '', uid],
  ['uidLocal', 'u', prefixed(uidLocal, 'u')],
] as const satisfies readonly (readonly [string, string, IdFamily])[]

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await database.query('CREATE EXTENSION pgcrypto')
  await database.query(SQL)
})
afterAll(() => database.close())

describe.each(KINDS)('%s with prefix "%s"', (name, prefix, family) => {
  const { seal: close, open } = seal(family as IdFamily, { keys: KEY })
  const derived = `snoflax_seal.derive_key('\\x${KEY.toString('hex')}', '${name}', '${prefix}')`

  test(`SQL and TypeScript seal the same and open each other's, ${CASES} times`, async () => {
    // What PostgreSQL drew, so that the ids are no choice of the test.
    const rows = (await database.query(
      `WITH key AS MATERIALIZED (SELECT ${derived} AS derived), made AS MATERIALIZED (
         SELECT set_byte(gen_random_bytes(${family.byteLength}), 0, n % 16) AS id FROM generate_series(1, ${CASES}) n)
       SELECT encode(id, 'hex') AS id, snoflax_seal.seal(id, derived, '${prefix}') AS sealed,
         snoflax_seal.open(snoflax_seal.seal(id, derived, '${prefix}'), derived, ${family.byteLength}, '${prefix}') = id AS same
       FROM made, key`,
    )) as { id: string; sealed: string; same: boolean }[]
    expect(rows).toHaveLength(CASES)
    for (const { id, sealed, same } of rows) {
      expect(same).toBe(true)
      const text = family.encode(Buffer.from(id, 'hex'))
      expect(close(text as never)).toBe(sealed)
      expect(open(sealed)).toBe(text)
    }
  })

  test('SQL refuses what TypeScript refuses', async () => {
    const right = close(family.min as never)
    const flipped = right.slice(0, -2) + (right.at(-2) === 'x' ? 'y' : 'x') + right.at(-1)
    const spare = right.slice(0, -1) + String.fromCharCode((right.at(-1) as string).charCodeAt(0) + 1)
    const other = seal(prefixed(sno, 'elsewhere'), { keys: KEY }).seal(prefixed(sno, 'elsewhere').min)
    for (const text of [flipped, spare, other, '', `${right}\n`, ` ${right}`, right.slice(1), `x${right}`]) {
      expect(() => open(text)).toThrow(IdError)
      const query = `SELECT snoflax_seal.open($1, ${derived}, ${family.byteLength}, '${prefix}')`
      await expect(database.query(query, [text])).rejects.toMatchObject({ code: '22023' })
    }
  })
})

test('weak keys, and keys and ids of a wrong length are refused', async () => {
  for (const call of [
    `derive_key('\\x00', 'flax')`,
    `derive_key(decode(repeat('00', 32), 'hex'), 'flax')`,
    `derive_key(convert_to('abcdefghijklmnopqrstuvwxyz012345', 'UTF8'), 'flax')`,
    `derive_key(decode('${Buffer.from(Array.from({ length: 32 }, (_, i) => 16 - 3 * i)).toString('hex')}', 'hex'), 'flax')`,
    `seal('\\x00', '\\x00')`,
    `seal(decode(repeat('00', 13), 'hex'), decode(repeat('00', 32), 'hex'))`,
    `open('AAAAAAAAAAAAAAAAAAAAAA', decode(repeat('00', 32), 'hex'), 16)`,
  ]) {
    await expect(database.query(`SELECT snoflax_seal.${call}`)).rejects.toMatchObject({ code: '22023' })
  }
})

test.each(['CUS', 'cus_', '1', 'a'.repeat(64), 'c-s', 'cus\n'])(
  'the prefix %j is refused',
  async (prefix) => {
    const derived = `decode(repeat('00', 32), 'hex')`
    for (const call of [
      `derive_key('\\x${KEY.toString('hex')}', 'flax', $1)`,
      `seal('\\x00', ${derived}, $1)`,
      `open($1 || '_AAAAAAAAAAAAAAAAAAAAAA', ${derived}, 12, $1)`,
    ]) {
      await expect(database.query(`SELECT snoflax_seal.${call}`, [prefix])).rejects.toMatchObject({
        code: '22023',
        message: expect.stringContaining('a prefix must have'),
      })
    }
  },
)

test('a role may call only what it is granted', async () => {
  const derived = `snoflax_seal.derive_key('\\x${KEY.toString('hex')}', 'flax')`
  const [row] = await database.query(`SELECT ${derived} AS derived`)
  await database.query(`CREATE ROLE sealer`)
  try {
    await database.query('GRANT USAGE ON SCHEMA snoflax_seal TO sealer')
    await database.query('GRANT EXECUTE ON FUNCTION snoflax_seal.seal TO sealer')
    await database.query('SET ROLE sealer')
    const sealed = await database.query(
      `SELECT snoflax_seal.seal(decode(repeat('00', 12), 'hex'), $1) AS sealed`,
      [(row as { derived: Uint8Array }).derived],
    )
    expect(sealed).toEqual([{ sealed: seal(flax, { keys: KEY }).seal(flax.min) }])
    await expect(database.query(`SELECT ${derived}`)).rejects.toMatchObject({ code: '42501' })
  } finally {
    await database.query('RESET ROLE')
    await database.query('DROP OWNED BY sealer')
    await database.query('DROP ROLE sealer')
  }
})

test('an existing schema of the same name is not changed', async () => {
  await expect(database.query(SQL)).rejects.toMatchObject({ code: '42P06' })
})

test('without pgcrypto the installation is refused, and nothing is installed', async () => {
  const empty = await postgres.open()
  try {
    await expect(empty.query(SQL)).rejects.toMatchObject({ code: '55000' })
    const [row] = await empty.query(`SELECT to_regnamespace('snoflax_seal') IS NULL AS gone`)
    expect(row).toEqual({ gone: true })
  } finally {
    await empty.close()
  }
})

// Mallory may create in the database, and so owns what she creates there: extensions that are trusted, and schemas. A
// superuser installs and calls.
describe('a hostile role', () => {
  let database: PostgresDatabase
  let mallory: (sql: string) => Promise<unknown>
  let name: string
  beforeEach(async () => {
    database = await postgres.open()
    const role = await database.role()
    name = role.name
    await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${name}`)
    mallory = (sql) => onConnection(role.url, (client) => client.query(sql))
    await mallory('CREATE SCHEMA hers; GRANT USAGE ON SCHEMA hers TO PUBLIC')
  })
  afterEach(() => database.close())

  /** Functions of the names and types of pgcrypto's, which tell what they get. */
  const planted = ['hmac', 'encrypt', 'decrypt']
    .map(
      (one) => `CREATE FUNCTION hers.${one}(bytea, bytea, text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
        BEGIN
          RAISE WARNING 'hostile: % has % and %', current_user, $1, $2;
          RETURN decode(repeat('ab', 32), 'hex');
        END $$;`,
    )
    .join('\n')

  /** What a superuser's calls give away. */
  async function hostile(): Promise<string[]> {
    const told: string[] = []
    const client = await database.connect()
    client.on('notice', ({ message }) => told.push(String(message)))
    for (const call of [
      `derive_key('\\x${KEY.toString('hex')}'::bytea, 'flax')`,
      `derive_key('\\x${KEY.toString('hex')}'::bytea, 'flax', 'cus')`,
      `seal('\\x000000000000000000000000'::bytea, '\\x${KEY.toString('hex')}'::bytea)`,
      `open('AAAAAAAAAAAAAAAAAAAAAA', '\\x${KEY.toString('hex')}'::bytea, 12)`,
    ]) {
      await client.query(`SELECT snoflax_seal.${call}`).catch(() => undefined)
    }
    return told
  }

  test('that owns pgcrypto cannot put its own functions in the place of those that get the key', async () => {
    await mallory('CREATE EXTENSION pgcrypto SCHEMA hers')
    await database.query(SQL)
    await expect(mallory('DROP EXTENSION pgcrypto')).rejects.toMatchObject({ code: '2BP01' })
    expect(await hostile()).toEqual([])
    await mallory(`DROP EXTENSION pgcrypto CASCADE; ${planted}`)
    expect(await hostile()).toEqual([])
    await expect(
      mallory('CREATE FUNCTION snoflax_seal._hmac(bytea, bytea) RETURNS bytea LANGUAGE sql RETURN $1'),
    ).rejects.toMatchObject({ code: '42501' })
    await mallory(
      `DROP FUNCTION hers.hmac, hers.encrypt, hers.decrypt; CREATE EXTENSION pgcrypto SCHEMA hers`,
    )
    expect(await hostile()).toEqual([])
  })

  test('that puts its own functions where pgcrypto was before a superuser moved it changes nothing', async () => {
    await mallory('CREATE EXTENSION pgcrypto SCHEMA hers')
    await database.query(SQL)
    const derived = `SELECT snoflax_seal.derive_key('\\x${KEY.toString('hex')}', 'flax') AS derived`
    const before = await database.query(derived)
    await database.query('CREATE SCHEMA other; ALTER EXTENSION pgcrypto SET SCHEMA other')
    await mallory(planted)
    expect(await hostile()).toEqual([])
    expect(await database.query(derived)).toEqual(before)
  })

  test('that owns functions of pgcrypto, or has put others in their place, is refused', async () => {
    await database.query('CREATE EXTENSION pgcrypto SCHEMA hers')
    await database.query(`ALTER FUNCTION hers.encrypt(bytea, bytea, text) OWNER TO ${name}`)
    await expect(database.query(SQL)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining(
        `role ${name} owns hers.encrypt(bytea,bytea,text), and so could run code`,
      ),
    })
    await database.query('DROP EXTENSION pgcrypto; CREATE EXTENSION pgcrypto SCHEMA hers')
    await database.query('ALTER EXTENSION pgcrypto DROP FUNCTION hers.hmac(bytea, bytea, text)')
    await expect(database.query(SQL)).rejects.toMatchObject({ code: '55000' })
    expect(await database.query("SELECT FROM pg_namespace WHERE nspname = 'snoflax_seal'")).toEqual([])
  })

  test('gets nothing by default privileges of the owner', async () => {
    await database.query('CREATE EXTENSION pgcrypto')
    const owner = await database.connect()
    for (const kind of ['SCHEMAS', 'FUNCTIONS', 'TABLES', 'SEQUENCES', 'TYPES']) {
      await owner.query(`ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO ${name} WITH GRANT OPTION;
        ALTER DEFAULT PRIVILEGES GRANT ALL ON ${kind} TO PUBLIC`)
    }
    await owner.query(SQL)
    await owner.query('GRANT USAGE ON SCHEMA snoflax_seal TO PUBLIC')
    for (const sql of [
      `CREATE FUNCTION snoflax_seal.derive_key(bytea, text) RETURNS bytea LANGUAGE sql RETURN $1`,
      `SELECT snoflax_seal.derive_key('', '')`,
      `SELECT snoflax_seal.seal('', '')`,
      `SELECT snoflax_seal.open('', '', 12)`,
    ]) {
      await expect(mallory(sql), sql).rejects.toMatchObject({ code: '42501' })
    }
    expect(await hostile()).toEqual([])
  })
})
