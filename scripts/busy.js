// Runs a command beside loops that keep the cores busy, as on a shared machine:
// `node scripts/busy.js npm test`, or with the number of loops first: `node scripts/busy.js 8 npx vitest run`.
import { spawn } from 'node:child_process'

const [first = '', ...rest] = process.argv.slice(2)
const isNumber = /^\d+$/.test(first)
const [loops, command, ...args] = isNumber ? [Number(first), ...rest] : [4, first, ...rest]
if (!command) throw new Error('pass a command: node scripts/busy.js npm test')

// Each loop ends with this process, since it stops at the end of its input.
const LOOP =
  "process.stdin.resume().on('end', () => process.exit()); const turn = () => { for (const end = Date.now() + 50; Date.now() < end; ); setImmediate(turn) }; turn()"
const busy = Array.from({ length: loops }, () =>
  spawn(process.execPath, ['-e', LOOP], { stdio: ['pipe', 'ignore', 'inherit'] }),
)

const begun = Date.now()
const child = spawn(command, args, { stdio: 'inherit' })
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => child.kill(signal))
child.on('close', (code) => {
  for (const loop of busy) loop.kill()
  console.log(
    `busy: beside ${loops} loops it took ${Math.round((Date.now() - begun) / 1000)} s and ended with ${code}`,
  )
  process.exitCode = code ?? 1
})
child.on('error', (error) => {
  for (const loop of busy) loop.kill()
  throw error
})
