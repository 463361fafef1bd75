import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PNPM = /pnpm@[\d.]+/.exec(readFileSync(join(root, 'scripts/setup.js'), 'utf8'))?.[0] as string

/** What package.json says that matters here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface Package {
  readonly folder: string
  readonly manifest: Manifest
}

/** All that is published, in the workspace. */
export const packages: readonly Package[] = readdirSync(join(root, 'packages')).map((name) => {
  const folder = join(root, 'packages', name)
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest }
})

/** Entries that can be imported, as a user writes them. */
export const entriesOf = ({ manifest }: Package): string[] =>
  Object.keys(manifest.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => join(manifest.name, entry))

/** A folder that goes away with the tests. */
export function temporaryFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-packed-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Packs every package as a release does. Answers the tarball's path for each name. */
export function packAll(folder: string): ReadonlyMap<string, string> {
  const pack = `pnpm --recursive --filter './packages/*' pack --pack-destination '${folder}'`
  // --call, since an outer npx leaves its own in the environment.
  run(root, 'npx', ['--yes', `--package=${PNPM}`, `--call=${pack}`])
  const tarballs = readdirSync(folder)
  return new Map(
    packages.map(({ manifest: { name, version } }) => {
      const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
      if (!tarballs.includes(file))
        throw new Error(`${name} was not packed as ${file}: ${tarballs.join(', ')}`)
      return [name, join(folder, file)]
    }),
  )
}

/** A project that has the tarballs installed, and the peers that its owner would have, at the workspace's versions. */
export function installConsumer(folder: string, tarballs: ReadonlyMap<string, string>): void {
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  )
  run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...tarballs.values()])
  for (const one of packages) linkPeers(one, folder)
}

function linkPeers({ folder, manifest }: Package, consumer: string): void {
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter((name) => !name.startsWith('@snoflax/'))
  for (const peer of peers) {
    const link = join(consumer, 'node_modules', peer)
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { recursive: true, force: true })
    symlinkSync(join(folder, 'node_modules', peer), link)
  }
}

/** Standard output; an error with all output where the command fails. */
export function run(cwd: string, command: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${command} ${parameters[0]} ended with ${status}: ${stdout}${stderr}`)
}
