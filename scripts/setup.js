// Installs the workspace with a pinned pnpm, so that only Node and npm must be installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withPnpm } from './pnpm.js'

const SILENCE_MS = 10_000

const root = join(import.meta.dirname, '..')
const started = Date.now()
let step = 'installing'
let spoke = 0
let log = ''

const seconds = () => Math.round((Date.now() - started) / 1000)

const say = () => {
  spoke = Date.now()
  console.log(`setup: ${step}, ${seconds()} s`)
}

/** @param {Buffer} chunk */
const listen = (chunk) => {
  log += chunk
  const building = /node_modules\/([^/ ]+) (?:pre|post)?install[$:]/.exec(chunk.toString())?.[1]
  if (!building || step.includes(building)) return
  step = `building ${building}, which can take a minute or two`
  say()
  step = `still building ${building}`
}

/** @param {string} command @returns {Promise<number>} its exit code */
const runQuietly = (command) => {
  // Headers installed with this Node save node-gyp a download, and match it, unlike those of a configured folder.
  const nodeRoot = join(process.execPath, '../..')
  const headers = existsSync(join(nodeRoot, 'include/node/node.h')) ? { npm_config_nodedir: nodeRoot } : {}

  const child = spawn('npx', withPnpm(command), {
    cwd: root,
    env: { ...process.env, ...headers },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)

  const ticking = setInterval(() => Date.now() - spoke > SILENCE_MS && say(), 2_500)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(ticking)
      resolve(code ?? 1)
    })
  })
}

// What was installed last: from which lock file, and for which Node, since native addons differ.
const stampFile = join(root, 'node_modules/.setup')
const stamp = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : undefined
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  .digest('hex')
const abi = process.versions.modules

if (stamp?.lock !== lock || stamp.abi !== abi) {
  // pnpm does not notice another Node by itself.
  const rebuild = stamp && stamp.abi !== abi ? ' && pnpm rebuild --recursive' : ''
  process.exitCode = await runQuietly(`pnpm install --frozen-lockfile${rebuild}`)
  if (process.exitCode !== 0) console.error(log)
  else {
    writeFileSync(stampFile, JSON.stringify({ lock, abi }))
    if (spoke > 0) console.log(`setup: done in ${seconds()} s`)
  }
}
