import { appendFileSync, readFileSync } from 'node:fs'
import { TestRunner } from 'vitest'

// Several processes write one journal, each continuing where the previous one ended.
const JOURNAL = process.env['SNOFLAX_MUTATE_JOURNAL'] ?? ''
const note = (/** @type {string} */ line) => appendFileSync(JOURNAL, `${line}\n`)
const mine = new Set(readFileSync(`${JOURNAL}.ids`, 'utf8').split(' '))
const done = new Set()
for (const line of readFileSync(JOURNAL, 'utf8').split('\n')) {
  const [, kind, id = ''] = /^(\w+) (\S+|.*)/.exec(line) ?? []
  if (kind === 'killed') mine.delete(id)
  if (kind === 'done') done.add(line.slice(5))
}

/** The global that Stryker's instrumented sources read and write. */
const mutation = /** @type {any} */ (globalThis).__stryker__ ?? {}
Object.assign(globalThis, { __stryker__: mutation })
let hasMutated = false
/** How often a test may fail without a mutant before a new process continues. */
const ENOUGH = 4
// The real timer, since tests replace it.
const later = setTimeout

/**
 * Runs each test unchanged, then with each surviving mutant that it reaches. A second unchanged run shows that the test
 * can run twice, and one after each killed mutant that it left nothing behind; otherwise a new process continues.
 */
export default class extends TestRunner {
  /** @type {(string | undefined)[]} */
  queue = []
  /** @type {Record<string, number>} */
  hits = {}
  name = ''
  fails = 0

  /** @override @param {any} test */
  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    this.name = `${test.file.name} > ${test.fullTestName ?? test.name} ${test.id}`.replaceAll('\n', ' ')
    if (done.has(this.name)) test.mode = 'skip'
    test.repeats = 1
    test.retry = 0
  }

  /** @override @param {any} test @param {any} [turn] */
  onBeforeTryTask(test, turn) {
    super.onBeforeTryTask(test)
    mutation.activeMutant = undefined
    mutation.hitCount = undefined
    if (turn.repeats === 0) {
      mutation.currentTestId = 'one'
      return
    }
    const id = this.queue[turn.retry]
    if (id === undefined) return
    note(`try ${id}`)
    hasMutated = true
    mutation.activeMutant = id
    mutation.hitCount = 0
    mutation.hitLimit = 1000 + 100 * (this.hits[id] ?? 0)
  }

  /** @param {any} test @param {any} turn */
  async onAfterRetryTask(test, turn) {
    const { activeMutant } = mutation
    mutation.activeMutant = undefined
    const hasFailed = test.result.state === 'fail'
    test.result.errors = []
    if (turn.repeats === 0) {
      mutation.currentTestId = undefined
      this.hits = mutation.mutantCoverage?.perTest.one ?? {}
      if (mutation.mutantCoverage) mutation.mutantCoverage.perTest = {}
      if (hasFailed) this.end(hasMutated ? `afresh ${this.name}` : `failed ${this.name}`)
      const ids = Object.keys(this.hits).filter((id) => mine.has(id))
      this.queue = ids.length === 0 ? [] : [undefined, ...ids]
      test.retry = ENOUGH * ids.length + 1
      return
    }
    if (activeMutant === undefined) {
      if (hasFailed && turn.retry === 0) {
        note(`unstable ${this.name}`)
        this.queue = []
      } else if (hasFailed && ++this.fails === ENOUGH) this.end(`afresh ${this.name}`)
      else if (hasFailed) {
        // Work that a mutant started may still be ending.
        this.queue.splice(turn.retry + 1, 0, undefined)
        await new Promise((resolve) => later(resolve, 20))
      } else this.fails = 0
    } else if (hasFailed) {
      note(`killed ${activeMutant} ${this.name}`)
      mine.delete(activeMutant)
      this.queue.splice(turn.retry + 1, 0, undefined)
    }
    const isOver = turn.retry + 1 >= this.queue.length
    // Vitest would retry failed tests.
    test.result.state = isOver ? 'pass' : 'fail'
    test.result.errors = isOver ? [] : [{ message: 'next' }]
    if (isOver) note(`done ${this.name}`)
  }

  /** @param {string} why */
  end(why) {
    note(why)
    // Vitest would wait for this process.
    process.kill(process.ppid, 'SIGKILL')
    process.kill(process.pid, 'SIGKILL')
  }
}
