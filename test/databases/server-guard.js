// A separate process between a test run and one server. However the run ends, even by SIGKILL,
// the channel between them closes: the guard then stops the server and removes its folder.
// JavaScript, because it has to start in plain Node without a build.
import { spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [folder = ''] = process.argv.slice(2)
const log = openSync(join(folder, 'server.log'), 'a')

/** @typedef {{ uid?: number, gid?: number }} Owner */
/** @typedef {{ code: number | null, signal: string | null }} Exit */
/** @type {import('node:child_process').ChildProcess | undefined} */
let child
/** @type {Promise<Exit | undefined>} */
let ended = Promise.resolve(undefined)

/** @param {string} file @param {string[]} args @param {Owner} owner @returns {Promise<number | undefined>} */
function start(file, args, owner) {
  const started = spawn(file, args, { ...owner, cwd: folder, stdio: ['ignore', log, log] })
  child = started
  ended = new Promise((resolve) => {
    started.once('exit', (code, signal) => {
      child = undefined
      resolve({ code, signal })
    })
  })
  return new Promise((resolve, reject) => {
    started.once('spawn', () => resolve(started.pid))
    started.once('error', (error) => {
      child = undefined
      ended = Promise.resolve(undefined)
      reject(error)
    })
  })
}

/** Runs a command to its end. @type {(...args: Parameters<typeof start>) => Promise<Exit | undefined>} */
async function run(...args) {
  await start(...args)
  return ended
}

const exited = () => ended

/** @param {NodeJS.Signals} signal */
async function stop(signal) {
  child?.kill(signal)
  await ended
}

/** Parent and state of every process. On Linux without ps, which small images lack. */
async function processes() {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
          const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
          return [{ pid: Number(name), parent: Number(parent), dead: state === 'Z' || state === 'X' }]
        } catch {
          return []
        }
      })
  }
  const ps = spawn('ps', ['-A', '-o', 'pid=,ppid=,stat='])
  let text = ''
  for await (const chunk of ps.stdout) text += chunk
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({ pid: Number(pid), parent: Number(parent), dead: state?.[0] === 'Z' }))
}

// The server's own children go too: a backend in the middle of a statement does not notice that its server is
// gone, works on, and keeps a new server from starting.
async function kill9() {
  const top = child?.pid
  if (top === undefined) return
  child?.kill('SIGSTOP')
  const doomed = (await processes()).filter((one) => one.parent === top).map((one) => one.pid)
  child?.kill('SIGKILL')
  for (const pid of doomed) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
  await ended
  const alive = async () => (await processes()).some((one) => doomed.includes(one.pid) && !one.dead)
  while (await alive()) await sleep(5)
}

// A killed server leaves a System V memory segment, which only a later start on the same data or this removes.
function freeSharedMemory() {
  try {
    const line = readFileSync(join(folder, 'data', 'postmaster.pid'), 'latin1').split('\n')[6]
    const segment = line?.trim().split(/\s+/)[1]
    if (segment) spawn('ipcrm', ['-m', segment], { stdio: 'ignore' }).on('error', () => {})
  } catch {
    // A server that stopped properly has removed the file and the segment.
  }
}

async function remove() {
  await stop('SIGQUIT')
  freeSharedMemory()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
}

const commands = { start, run, exited, stop, kill9, remove }

/** @param {{ id: number, command: keyof typeof commands, args: unknown[] }} message */
async function obey({ id, command, args }) {
  const action = /** @type {(...args: unknown[]) => unknown} */ (commands[command])
  try {
    process.send?.({ id, result: await action(...args) })
  } catch (error) {
    process.send?.({ id, error: String(error) })
  }
}

const end = () => void remove().finally(() => process.exit())

process.on('message', obey)
process.on('disconnect', end)
process.on('SIGTERM', end)
