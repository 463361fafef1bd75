import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const HOME = fileURLToPath(new URL('..', import.meta.url))
// Only a guard against hanging: a busy machine may take long.
const DEMO_MS = 300_000

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

const cwd = await mkdtemp(join(tmpdir(), 'quakes-'))
afterAll(() => rm(cwd, { recursive: true }))

/** Runs the built demo without a terminal. */
function run(home: string, args: readonly string[], colours: Record<string, string> = {}): Promise<Run> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`${home}/dist/main.js`, ...args],
      { cwd, env: { ...env, ...colours } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

interface Line {
  readonly timeMs: number
  readonly magnitude: number
}

async function readData(): Promise<Line[]> {
  const text = await readFile(`${HOME}/data/quakes.jsonl`, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the demo', () => {
  let shown: Run

  beforeAll(async () => {
    shown = await run(HOME, ['--all', '--weeks', '1'])
  }, DEMO_MS)

  it('passes every check, in all tables of both databases', () => {
    expect(shown.err).toBe('')
    expect(shown.code).toBe(0)
    expect(shown.out).toMatch(/SQLite \S+: 15 tables of 1,707 quakes/)
    expect(shown.out).toMatch(/PGlite \S+: 26 tables of 1,707 quakes/)
    expect(shown.out).not.toContain('✗')
    // 41 tables: read back, order, index and 10 answers each; the 6 of sno answer for 8 days more. 19 of
    // PGlite's: ids made there, their text and time, bounds, and the ids of the quakes.
    expect(shown.out).toContain(`✓ all ${41 * 13 + 6 * 8 + 19 * 5} checks passed`)
  })

  it('is its beginning without --all, whose command finds the row of the file that it leaves', async () => {
    const { out, code } = await run(HOME, [])
    const lines = out.trimEnd().split('\n')
    expect(code).toBe(0)
    const steady = (line: string) => line.replaceAll(/\beq_([\w-]{6})[\w-]{10}/g, 'eq_$1')
    const shared = lines.slice(0, lines.indexOf('  asked 1 table')).map(steady)
    expect(shared.length).toBeGreaterThan(20)
    expect(shown.out.split('\n').slice(0, shared.length).map(steady)).toEqual(shared)
    expect(lines.at(-1)).toBe('  npm run demo -- --all')
    const [, id = ''] = /npx snoflax find (\S+) quakes\.db/.exec(out) ?? []
    const snoflax = join(HOME, 'node_modules/snoflax/bin/snoflax.js')
    const found = await promisify(execFile)(process.execPath, [snoflax, 'find', id, 'quakes.db'], { cwd })
    expect(found.stdout).toContain('22km NNE of Hualian, Taiwan')
  })

  it('begins with one question, its SQL, its answer and its plan', async () => {
    const [question, sql = '', ...rest] = shown.out
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, 9)
    const [, fromId = '', toId = ''] = /id >= '(eq_[^']+)' AND id < '(eq_[^']+)'$/.exec(sql) ?? []
    expect(question).toMatch(/in the hour after the largest one/)
    const found = rest.slice(0, 6).map((line) => line.trim().split('  '))
    for (const [id = ''] of found) expect(fromId <= id && id < toId).toBe(true)
    const quakes = await readData()
    const largest = quakes.reduce((most, quake) => (quake.magnitude > most.magnitude ? quake : most))
    const fromMs = Math.floor(largest.timeMs / 1000) * 1000
    const hour = quakes.filter(({ timeMs }) => timeMs >= fromMs && timeMs < fromMs + 3_600_000)
    expect(found.map(([, , magnitude]) => magnitude)).toEqual(
      hour.map(({ magnitude }) => magnitude.toFixed(1)),
    )
    expect(rest[6]).toContain('SEARCH earthquakes USING INDEX')
    const [first = ''] = found[0] ?? []
    expect(shown.out).toMatch(new RegExp(`npx snoflax find ${first}[^]+earthquakes\\.id\n +id +${first}\n`))
  })

  it('counts the quakes of each day as in the data', async () => {
    const bars = [...shown.out.matchAll(/^(2018-\d\d-\d\d) .* (\d+) +(\d+) strong$/gm)].map(
      ([, day, all, strong]) => [day, Number(all), Number(strong)],
    )
    const quakes = await readData()
    const dayOf = ({ timeMs }: Line) => new Date(timeMs).toISOString().slice(0, 10)
    const expected = [...new Set(quakes.map(dayOf))].map((day) => {
      const ofDay = quakes.filter((quake) => dayOf(quake) === day)
      return [day, ofDay.length, ofDay.filter(({ magnitude }) => magnitude >= 4.5).length]
    })
    expect(bars).toEqual(expected)
  })

  it('shows the query plans of both databases', () => {
    expect(shown.out).toMatch(/SEARCH quakes_flax_text USING INDEX sqlite_autoindex_quakes_flax_text_1/)
    expect(shown.out).toMatch(/Index Scan using quakes_flax_text_pkey/)
  })

  it('shows what the database generates by default, and that TypeScript and SQL agree', () => {
    const lines = [...shown.out.matchAll(/^(\w+) +(\w+) +snoflax\.(\w+)_generate\w*\(\) +((?:✓ *)+)$/gm)]
    const families = ['flax', 'sno', 'flake', 'uid', 'uidLocal'].flatMap((name) =>
      Array.from({ length: name === 'flake' ? 3 : 4 }, () => name),
    )
    expect(lines.map(([, family]) => family)).toEqual(families)
    expect(lines.map(([, , , , marks = '']) => marks.replaceAll(' ', ''))).toEqual(
      families.map(() => '✓✓✓✓✓'),
    )
  })

  it('prints what its picture in the documentation shows', async () => {
    const picture = await readFile(`${HOME}/../../docs/demo.svg`, 'utf8')
    const lines = [...picture.matchAll(/<text .*<\/text>/g)].map(([line]) =>
      line
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&gt;', '>')
        .replaceAll('&lt;', '<'),
    )
    // The random half of an id differs from run to run.
    const steady = (text: string) =>
      text.replaceAll(/\beq_([\w-]{6})[\w-]{10}/g, 'eq_$1').replaceAll(/ +/g, ' ')
    expect(lines.length).toBeGreaterThan(15)
    for (const line of lines.slice(1)) expect(steady(shown.out)).toContain(steady(line))
  })

  it('is plain and at most 100 columns wide', () => {
    expect(stripVTControlCharacters(shown.out)).toBe(shown.out)
    expect(shown.out).not.toContain('\r')
    expect(shown.out.split('\n').filter((line) => [...line].length > 100)).toEqual([])
  })

  it('says which values --weeks accepts', async () => {
    const { code, out, err } = await run(HOME, ['--weeks', '0'])
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err).toBe('--weeks must be an integer from 1 to 520, not 0\n')
  })
})

describe('the demo in colours, with data that some ids cannot order', () => {
  let home: string
  let shown: Run

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quakes-'))
    await cp(`${HOME}/package.json`, `${home}/package.json`)
    await cp(`${HOME}/dist`, `${home}/dist`, { recursive: true })
    await symlink(`${HOME}/node_modules`, `${home}/node_modules`, 'dir')
    await cp(`${HOME}/data`, `${home}/data`, { recursive: true })
    // A weaker quake in the same 4 ms: sno sorts it first, by the magnitude in its metabyte.
    const [first, second, ...others] = (await readData()) as [Line, Line, ...Line[]]
    const timeMs = Math.floor(first.timeMs / 4) * 4
    const quakes = [
      { ...first, timeMs, magnitude: 5 },
      { ...second, timeMs: timeMs + 1, magnitude: 1 },
      ...others,
    ]
    await writeFile(`${home}/data/quakes.jsonl`, quakes.map((quake) => JSON.stringify(quake)).join('\n'))
    shown = await run(home, ['--all', '--weeks', '1'], { FORCE_COLOR: '1' })
  }, DEMO_MS)

  afterAll(() => rm(home, { recursive: true, force: true }))

  it('exits with 1 and names what failed', () => {
    const out = stripVTControlCharacters(shown.out)
    expect(shown.code).toBe(1)
    expect(out).toMatch(/✗ 6 of 676 checks failed/)
    expect(out).toMatch(/SQLite, quakes_sno_text: order by id: row 1 is \w+, it should be \w+/)
  })

  it('has colours if they are forced, and no moving line', () => {
    expect(shown.out).toContain('\u001b[36m')
    expect(shown.out).not.toContain('\r')
  })
})
