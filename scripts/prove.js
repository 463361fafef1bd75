// Checks the models in proof/ with SPIN, then again without one guard at a time, which must reveal a fault. See
// docs/proof.md. `node scripts/prove.js lease` runs the models whose names begin with lease.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Run
 * @property {string} model Its file in proof/.
 * @property {string} about What happens in it.
 * @property {Record<string, number | string | true>} bounds Macros of the model.
 * @property {string[]} guards Macros that each remove one guard.
 */

/** @type {Run[]} */
const RUNS = [
  {
    model: 'lease',
    about: 'one server, any clock',
    bounds: { WILD: true, END: 2 },
    guards: ['NO_COMMIT_CHECK', 'NO_WINDOW', 'NO_CLOSE', 'NO_TOKEN', 'NO_START_BEHIND', 'NO_GROWTH'],
  },
  {
    model: 'lease',
    about: 'units of 2 ms',
    bounds: { WILD: true, END: 2, UNIT: 2 },
    guards: ['NO_WHOLE_UNITS'],
  },
  {
    model: 'lease',
    about: 'shards and resets',
    bounds: { SHARDS: 2, RESETS: 1, END: 1 },
    guards: ['NO_MAX_OF_SHARDS', 'NO_MAX_OF_RESET'],
  },
  {
    model: 'lease',
    about: 'a failover, or recovery to an earlier time',
    bounds: { FAILOVERS: 1, TOKENS: 2, END: 2, SHORT: 2 },
    guards: ['NO_FLOOR', 'NO_TIMELINE_AT_INSTALL', 'NO_SLACK', 'NO_START_AT_FLOOR'],
  },
  { model: 'lease', about: 'two failovers', bounds: { FAILOVERS: 2, TOKENS: 2, END: 2 }, guards: [] },
  {
    model: 'lease',
    about: 'three holders and a failover',
    bounds: { FAILOVERS: 1, TOKENS: 3, END: 2 },
    guards: [],
  },
  {
    model: 'lease',
    about: 'restores and lost rows',
    bounds: { RESTORES: 1, TOKENS: 2, END: 2 },
    guards: ['NO_SIGNATURE', 'NO_COUNT', 'NO_FLOOR_IN_ADOPT'],
  },
  {
    model: 'lease',
    about: "the server's own generator takes the number, and a failover",
    bounds: { FAILOVERS: 1, TAKES: 1, TOKENS: 1, END: 2 },
    guards: ['NO_FLOOR_IN_TAKE', 'NO_DATABASE_LEAD'],
  },
  {
    model: 'lease',
    about: 'the longest lease raised, and a failover',
    bounds: { FAILOVERS: 1, OWNER: 1, TOKENS: 2, END: 1, LONG: 3, SLACK: 0 },
    guards: ['NO_CONFIRMATION'],
  },
  {
    model: 'lease',
    about: 'the longest lease lowered, and a failover',
    bounds: { FAILOVERS: 1, OWNER: 1, TOKENS: 2, END: 1, LONG: 3, SLACK: 0, FIRST: 'LONG' },
    guards: ['NO_SERIALIZATION'],
  },
  {
    model: 'lease',
    about: 'the longest lease lowered, and lost rows',
    bounds: { RESTORES: 1, OWNER: 1, TOKENS: 2, END: 1, LONG: 3, SLACK: 0, FIRST: 'LONG' },
    guards: ['NO_LONGER'],
  },
  { model: 'clock', about: 'one server', bounds: {}, guards: ['NO_LOCK', 'NO_GUARD_ZONE', 'NO_HALF_UNIT'] },
  {
    model: 'clock',
    about: 'a failover',
    bounds: { FAILOVERS: 1, BACK: 0, CANCELS: 0, CALLS: 4, END: 2, COUNTERS: 12, CARRIED: 3 },
    guards: ['NO_TIMELINE', 'NO_ORDER', 'NO_NEW_TIMELINE', 'NO_LEAD', 'NO_FIRST_LOOK'],
  },
  {
    model: 'tick-tock',
    about: 'any clock, and snapshots',
    bounds: {},
    guards: ['NO_COUNTER', 'NO_WALL_SAFE', 'NO_TICK_TOCK', 'NO_SAVED_BIT', 'NO_SAVED_SAFE', 'NO_USED_UP'],
  },
]

for (const [tool, pack] of Object.entries({ spin: 'spin', gcc: 'gcc libc6-dev' })) {
  if (spawnSync(tool, ['--version']).error) {
    console.error(
      `prove: ${tool} is not installed, and nothing was proven; on Debian: apt-get install ${pack}`,
    )
    process.exit(1)
  }
}

const models = fileURLToPath(new URL('../proof/', import.meta.url))

/**
 * @param {string} model
 * @param {Record<string, number | string | true>} macros
 */
function explore(model, macros) {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-prove-'))
  try {
    const run = (/** @type {string} */ tool, /** @type {string[]} */ ...args) =>
      execFileSync(tool, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    const defines = Object.entries(macros).map(([name, value]) =>
      value === true ? `-D${name}` : `-D${name}=${value}`,
    )
    const file = join(models, `${model}.pml`)
    run('spin', '-a', ...defines, file)
    run('gcc', '-O2', '-w', '-DSAFETY', '-DVECTORSZ=1024', '-DMEMLIM=3000', '-o', 'pan', 'pan.c')
    const report = run('./pan', '-m100000', '-w22')
    const [, errors] = /errors: (\d+)/.exec(report) ?? []
    const [, states] = /(\d+) states, stored/.exec(report) ?? []
    if (errors === undefined || /out of memory|max search depth too small|interrupted/.test(report)) {
      throw new Error(`prove: the search of ${model} did not end\n${report}`)
    }
    const isRepeat = report.includes('assertion violated')
    if (errors !== '0' && !isRepeat) throw new Error(`prove: ${model} has another fault\n${report}`)
    const story = isRepeat ? run('spin', '-t', '-k', `${model}.pml.trail`, ...defines, file) : ''
    return { isRepeat, states: Number(states), story: story.split(/^spin: /m)[0] ?? '' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const wanted = process.argv[2] ?? ''
let faults = 0
for (const { model, about, bounds, guards } of RUNS.filter((run) => run.model.startsWith(wanted))) {
  const began = performance.now()
  const whole = explore(model, bounds)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${model}, ${about}: ${whole.isRepeat ? 'FAULT' : 'holds'}, ${whole.states.toLocaleString('en')} states, ${seconds} s`,
  )
  if (whole.isRepeat) {
    faults++
    console.log(whole.story)
  }
  for (const guard of guards) {
    const { isRepeat } = explore(model, { ...bounds, [guard]: true })
    console.log(
      `  ${guard}: ${isRepeat ? 'a fault, as there must be' : 'NO FAULT: the model does not need this guard'}`,
    )
    if (!isRepeat) faults++
  }
}
process.exitCode = faults === 0 ? 0 : 1
