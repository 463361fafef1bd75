import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const root = join(import.meta.dirname, '../../..')

test('is packed by the release script with repository, peer ranges and full links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-packed-'))
  after(() => rmSync(folder, { recursive: true }))
  execFileSync('node', ['scripts/release.js', '--pack', '--dry-run', '--prisma8'], {
    cwd: root,
    env: {
      ...process.env,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'remote.origin.url',
      GIT_CONFIG_VALUE_0: 'git@git.example:ids/snoflax.git',
    },
  })
  const release = join(root, 'release')
  const tarball = readdirSync(release).find((file) => file.startsWith('snoflax-prisma-8-'))
  assert.ok(tarball)
  execFileSync('tar', ['-xzf', join(release, tarball), '-C', folder, '--strip-components=1'])
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const manifest = JSON.parse(read('package.json'))
  const { version } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
  assert.deepEqual(manifest.repository, {
    type: 'git',
    url: 'git+https://git.example/ids/snoflax.git',
    directory: 'packages/prisma-8',
  })
  assert.equal(manifest.peerDependencies['@snoflax/core'], `^${version}`)
  assert.match(manifest.peerDependencies['@snoflax/families'], /^\^\d/)
  assert.equal(manifest.publishConfig.tag, 'next')
  assert.doesNotMatch(read('README.md'), /\]\(\.\.?\//)
  assert.ok(JSON.parse(read('dist/space.json')).length > 0)
})
