// Mutation testing of core's generators and codecs, of leases and of uid: `npm run mutate`, before a release. Stryker's mutators change
// each operator, condition and block; a test must fail. Stryker's runner starts vitest for each mutant, which takes ten seconds instead
// of a millisecond, so mutate.runner.js tries all mutants that a test reaches while the test is loaded.
// `npm run mutate -- flax leases` tries a part. SNOFLAX_MUTATE_WORKERS is 2 by default. With --keep, docs/mutation.txt gets the table.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { instrumented } from './mutate.instrument.js'

const ROOT = new URL('../', import.meta.url)
const FOLDER = new URL('.mutation/', ROOT)
const WORKERS = Number(process.env['SNOFLAX_MUTATE_WORKERS'] ?? 2)
/** A mutant that runs longer loops forever. */
const PATIENCE_MS = 120_000

/** @typedef {{ id: string, fileName: string, status?: string, mutatorName: string, replacement: string }} Named */
/** @typedef {Record<'start' | 'end', { line: number, column: number }>} Location */
/** @typedef {Named & { location: Location }} Mutant */

/** The source's name in reports: its folder and file. @param {string} fileName */
const nameOf = (fileName) => fileName.replace(/.*\/leases\/src\//, 'leases/').replace(/.*\/src\//, '')

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const mutants = /** @type {Mutant[]} */ ((await instrumented()).mutants)
const chosen = mutants.filter(
  ({ fileName, status }) =>
    status !== 'Ignored' && (wanted.length === 0 || wanted.some((word) => nameOf(fileName).startsWith(word))),
)

if (!process.argv.includes('--continue')) rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const journals = Array.from({ length: WORKERS }, (_, worker) =>
  fileURLToPath(new URL(`${worker}.txt`, FOLDER)),
)
await Promise.all(journals.map(work))
report()

/** @param {string} journal @param {number} worker */
async function work(journal, worker) {
  if (!existsSync(journal)) writeFileSync(journal, '')
  const ids = chosen.filter((_, i) => i % WORKERS === worker).map(({ id }) => id)
  writeFileSync(`${journal}.ids`, ids.join(' '))
  while (!readFileSync(journal, 'utf8').includes('\nend\n')) {
    const vitest = createRequire(import.meta.url)
      .resolve('vitest/package.json')
      .replace('package.json', 'vitest.mjs')
    const args = [vitest, 'run', '--config', 'scripts/mutate.vitest.config.ts', '--reporter', 'dot']
    const child = spawn(process.execPath, args, {
      cwd: fileURLToPath(ROOT),
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { ...process.env, SNOFLAX_MUTATE_JOURNAL: journal },
    })
    const began = Date.now()
    const watch = setInterval(() => {
      if (Date.now() - Math.max(began, statSync(journal).mtimeMs) < PATIENCE_MS) return
      appendFileSync(journal, `killed ${current(journal)} takes too long\n`)
      process.kill(-Number(child.pid), 'SIGKILL')
    }, 1000)
    const code = await new Promise((resolve) => child.once('exit', resolve))
    clearInterval(watch)
    const last = readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1) ?? ''
    if (last.startsWith('failed')) throw new Error(`${last}: it fails without any mutant`)
    // A mutant ended the process, for example by using all memory.
    if (last.startsWith('try')) appendFileSync(journal, `killed ${current(journal)} ends the process\n`)
    else if (/^(?:done|unstable)/.test(last) && code === 0) appendFileSync(journal, '\nend\n')
    else if (!/^(?:afresh|killed)/.test(last)) throw new Error(`vitest ended with ${code} after: ${last}`)
  }
}

/** The mutant that was tried last. @param {string} journal */
function current(journal) {
  return /.*^try (\d+)$/ms.exec(readFileSync(journal, 'utf8'))?.[1]
}

function report() {
  /** @type {Map<string, string>} */
  const killed = new Map()
  const reached = new Set()
  const unstable = new Set()
  for (const journal of journals) {
    for (const line of readFileSync(journal, 'utf8').split('\n')) {
      const [, kind, id = '', by = ''] = /^(\w+) (\S+) ?(.*)$/.exec(line) ?? []
      if (kind === 'killed') killed.set(id, by)
      if (kind === 'try') reached.add(id)
      if (kind === 'unstable') unstable.add(`${id} ${by}`)
    }
  }
  const rows = new Map()
  const survivors = []
  for (const { id, fileName, location, replacement, mutatorName } of chosen) {
    const file = nameOf(fileName)
    const row = rows.get(file) ?? { mutants: 0, killed: 0, survived: 0, unreached: 0 }
    rows.set(file, row)
    row.mutants++
    if (killed.has(id)) row.killed++
    else {
      row[reached.has(id) ? 'survived' : 'unreached']++
      const { start, end } = location
      const lines = readFileSync(fileName, 'utf8')
        .split('\n')
        .slice(start.line, end.line + 1)
      const [first = ''] = lines
      const text = lines.length > 1 ? `${first.slice(start.column)} …` : first.slice(start.column, end.column)
      survivors.push(
        `${reached.has(id) ? 'survived ' : 'unreached'} ${file}:${start.line + 1} ${mutatorName}: ${text} → ${replacement?.split('\n').join(' ')}`,
      )
    }
  }
  writeFileSync(new URL('survivors.txt', FOLDER), `${survivors.join('\n')}\n`)
  const all = { mutants: 0, killed: 0, survived: 0, unreached: 0 }
  /** @type {Map<string, typeof all>} */
  const folders = new Map()
  const files = []
  const lineOf = (/** @type {string} */ name, /** @type {typeof all} */ row) => {
    const tried = row.killed + row.survived
    const score = tried === 0 ? '' : `${((100 * row.killed) / tried).toFixed(1)} %`
    return `| ${name} | ${tried} | ${row.killed} | ${row.survived} | ${score} |`
  }
  for (const [file, row] of rows) {
    const [name = ''] = file.split('/')
    const folder = folders.get(name) ?? { mutants: 0, killed: 0, survived: 0, unreached: 0 }
    folders.set(name, folder)
    for (const key of /** @type {const} */ (['mutants', 'killed', 'survived', 'unreached'])) {
      all[key] += row[key]
      folder[key] += row[key]
    }
    if (row.killed + row.survived > 0) files.push(lineOf(`\`${file}\``, row))
  }
  console.log([...files, lineOf('all', all)].join('\n'))
  console.log(
    `${all.unreached} mutants run while modules are loaded, or by no test. .mutation/survivors.txt lists them and the survivors.`,
  )
  if (unstable.size > 0)
    console.log(`not used, since they fail when they run twice:\n${[...unstable].join('\n')}`)
  if (!process.argv.includes('--keep')) return
  const table = ['| folder | mutants | killed | survived | score |', '| --- | --- | --- | --- | --- |']
  for (const [name, row] of folders) if (row.killed + row.survived > 0) table.push(lineOf(name, row))
  table.push(lineOf('all', all))
  const page = new URL('docs/proof.md', ROOT)
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(/(?<=<!-- mutation -->\n)[\s\S]*(?=<!-- end of mutation -->)/, `\n${table.join('\n')}\n\n`),
  )
}
