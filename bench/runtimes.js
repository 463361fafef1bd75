// `flax` beside the platform's own UUIDs, in one loop: node bench/runtimes.js, bun bench/runtimes.js, deno run -A bench/runtimes.js.
// Prints nanoseconds, and ratios of crypto.randomUUID().
import { flax } from '../packages/core/esm/index.js'

const STEPS = 1024
const [WARM_UPS, ROUNDS] = [200, 600]

const ids = Array.from({ length: STEPS }, () => flax.generate())
/** @type {Record<string, (i: number) => unknown>} */
const contestants = {
  empty: (i) => ids[i],
  'crypto.randomUUID': () => crypto.randomUUID(),
  'flax.generate': () => flax.generate(),
  'flax.parse': (i) => flax.parse(ids[i]),
}
/** @type {Record<string, number[]>} */
const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
let seen = 0
for (let round = -WARM_UPS; round < ROUNDS; round++) {
  for (const [name, step] of Object.entries(contestants).sort(() => Math.random() - 0.5)) {
    const start = performance.now()
    // Read by index, which flattens ropes.
    for (let i = 0; i < STEPS; i++) seen ^= String(step(i)).charCodeAt(5)
    if (round >= 0) times[name]?.push(((performance.now() - start) * 1e6) / STEPS)
  }
}

const quartile = (/** @type {string} */ name) => times[name]?.sort((a, b) => a - b)[ROUNDS >> 2] ?? Number.NaN
const own = (/** @type {string} */ name) => quartile(name) - quartile('empty')
for (const name of Object.keys(contestants).slice(1))
  console.log(
    name.padEnd(18),
    own(name).toFixed(0).padStart(4),
    (own(name) / own('crypto.randomUUID')).toFixed(2),
  )
if (seen === 0.5) throw new Error('nothing was read')
