import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../databases/free-port.js'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'snoflax-registry-'))
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_registry$/i.test(name))),
  npm_config_userconfig: join(folder, 'npmrc'),
}
afterAll(() => rmSync(folder, { recursive: true }))

/** Verdaccio, with our packages in its own storage and all others from the registry that npm is set to. */
async function startRegistry(): Promise<void> {
  const upstream = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
  const port = await freePort()
  writeFileSync(
    join(folder, 'npmrc'),
    `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=any\n`,
  )
  const config = {
    storage: join(folder, 'storage'),
    uplinks: { npm: { url: upstream } },
    packages: {
      '@snoflax/*': { access: '$all', publish: '$all' },
      snoflax: { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    log: { type: 'stdout', level: 'error' },
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config))
  // It asks for node-fetch by a tag that mirrors of the registry don't have.
  const manifest = { dependencies: { verdaccio: '6' }, overrides: { 'node-fetch': '2' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  spawnSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  const verdaccio = join(folder, 'node_modules/.bin/verdaccio')
  const registry = spawn(verdaccio, [
    '--config',
    join(folder, 'config.yaml'),
    '--listen',
    `127.0.0.1:${port}`,
  ])
  onTestFinished(() => void registry.kill())
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/-/ping`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 180_000 },
    )
    .toBe(true)
}

test("a release is published to a registry once, with the repository's address in manifests and links", async () => {
  await startRegistry()
  const [origin, dry, first, second] = [
    release(
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'remote.origin.url', GIT_CONFIG_VALUE_0: '/no/address' },
      '--local',
    ),
    release(REMOTE, '--local', '--dry-run'),
    release(REMOTE, '--local'),
    release(REMOTE, '--local'),
  ]
  expect(origin).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('git remote add origin https://'),
  })
  expect(dry.stdout).toContain('@snoflax/core@0.0.0 would be published as latest')
  expect(first.stdout).toContain('@snoflax/core@0.0.0 published as latest')
  expect(second.stdout).toContain('@snoflax/core@0.0.0 is already published')

  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(project, 'main.js'),
    "import { flax } from '@snoflax/core'\nimport { seal } from '@snoflax/seal'\nconsole.log(flax.is(flax.generate()), typeof seal)\n",
  )
  run(project, 'npm install --no-audit --no-fund @snoflax/core @snoflax/seal')
  expect(run(project, 'node main.js').trim()).toBe('true function')
  // Nothing but the command itself, as somebody who has installed nothing asks for it.
  expect(run(folder, 'npx --yes snoflax@0.0.0 inspect 9q6itj3u2u4io2i2')).toContain('sno')

  const read = (path: string) => readFileSync(join(project, 'node_modules/@snoflax/core', path), 'utf8')
  expect(JSON.parse(read('package.json'))).toMatchObject({
    repository: { type: 'git', url: 'git+https://git.example/ids/snoflax.git', directory: 'packages/core' },
    bugs: 'https://git.example/ids/snoflax/issues',
  })
  expect(read('README.md')).toContain('](https://git.example/ids/snoflax/blob/HEAD/spec/storage.md')
  expect(read('README.md')).not.toContain('](../')
})

const REMOTE = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'remote.origin.url',
  GIT_CONFIG_VALUE_0: 'git@git.example:ids/snoflax.git',
}

function release(extra: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync('node', ['scripts/release.js', ...args], {
    cwd: root,
    env: { ...environment, ...extra },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function run(cwd: string, command: string): string {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    env: environment,
    shell: true,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command}\n${stdout}${stderr}`)
  return stdout
}
