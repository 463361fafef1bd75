import { execFileSync } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { build, parseAst, type Rollup } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'

const packageRoot = fileURLToPath(new URL('..', import.meta.url))

const ENTRY = 'virtual:program'

interface Bundle {
  readonly code: string
  /** Every module that went in, and every import that stayed outside. */
  readonly modules: readonly string[]
  readonly outside: readonly string[]
}

/**
 * What a browser would be served for this program, which imports from the package's sources. A bundler that is not
 * told by package.json that modules have no side effects has to see it in the code.
 */
async function bundle(program: string, { isTold = true, minify = false } = {}): Promise<Bundle> {
  const output = (await build({
    root: packageRoot,
    configFile: false,
    logLevel: 'silent',
    resolve: {
      alias: {
        '@snoflax/core': fileURLToPath(new URL('../src', import.meta.url)),
        '@snoflax/families': fileURLToPath(new URL('../../families/src', import.meta.url)),
      },
    },
    plugins: [
      {
        name: 'program',
        enforce: 'pre',
        resolveId: (source: string) => (source === ENTRY ? `\0${ENTRY}` : undefined),
        load: (id: string) => (id === `\0${ENTRY}` ? program : undefined),
        transform: (code: string) => (isTold ? undefined : { code, moduleSideEffects: true }),
      },
    ],
    build: {
      write: false,
      minify,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: {
        input: ENTRY,
        output: { format: 'iife', name: 'program' },
        preserveEntrySignatures: 'strict',
      },
    },
  })) as Rollup.RollupOutput
  const [chunk] = output.output
  return {
    code: chunk.code,
    modules: Object.keys(chunk.modules),
    outside: [...chunk.imports, ...chunk.dynamicImports],
  }
}

/** Names that the code refers to, as opposed to what its texts and comments say. */
function namesIn(code: string): Set<string> {
  const names = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, name } = node as { type?: unknown; name?: unknown }
    if (type === 'Identifier') names.add(name as string)
    for (const child of Object.values(node)) walk(child)
  }
  walk(parseAst(code))
  return names
}

const NODE_NAMES = ['Buffer', 'process', 'require', 'module', 'global', '__dirname', 'setImmediate']

/** A context of bare JavaScript, with what every browser, worker and edge runtime has, and nothing of Node. */
function bareContext(): object {
  return createContext({
    crypto: { getRandomValues: (bytes: Uint8Array) => randomFillSync(bytes) },
    performance: { now: () => performance.now() },
    setTimeout: (callback: () => void, delayMs: number) => setTimeout(callback, delayMs),
  })
}

describe('the main entry and inspect in a browser', () => {
  let whole: Bundle
  beforeAll(async () => {
    whole = await bundle("export * from '@snoflax/core'; export * from '@snoflax/core/inspect'")
  })

  test('imports only the sources of the package', () => {
    expect(whole.outside).toEqual([])
    const foreign = whole.modules.filter((module) => !module.startsWith(`${packageRoot}src/`))
    // A Node module would show up here as the bundler's stub for it.
    expect(foreign).toEqual([`\0${ENTRY}`])
    expect(whole.modules.length).toBeGreaterThan(20)
    expect(whole.code).not.toMatch(/['"`]node:/)
  })

  test('refers to nothing of Node.js', () => {
    const names = namesIn(whole.code)
    expect(names).toContain('Uint8Array')
    expect(NODE_NAMES.filter((name) => names.has(name))).toEqual([])
  })

  test('generates, reads and stores ids', async () => {
    const context = bareContext()
    runInContext(whole.code, context)
    const run = (script: string): unknown => runInContext(script, context)
    expect(run('typeof Buffer + typeof process + typeof require')).toBe('undefined'.repeat(3))

    const results = await run(`(async () => {
      const { flax, sno, flake, storageFor } = program
      const generators = [
        flax.generator({ monotonic: true }),
        sno.generator(),
        flake.generator({ id: 1 }),
      ]
      const results = []
      for (const generator of generators) {
        const { family } = generator
        const waiting = generator.generateAsync ? [await generator.generateAsync()] : []
        const ids = [...generator.batch(1000), ...waiting]
        results.push({
          name: family.name,
          distinct: new Set(ids).size,
          areCanonical: ids.every((id) => family.encode(family.decode(id)) === id && family.is(id)),
          areOfNow: ids.every((id) => Math.abs(family.timeMs(id) - Date.now()) < 60_000),
          stored: ids.every((id) => {
            const storage = storageFor(family, 'postgres')
            return storage.fromDatabase(storage.toDatabase(id)) === id
          }),
        })
      }
      return JSON.stringify({ results, defaults: [flax.generate().length, sno.generate(7).length] })
    })()`)
    expect(JSON.parse(results as string)).toEqual({
      results: ['flax', 'sno', 'flake'].map((name) => ({
        name,
        distinct: name === 'flax' ? 1000 : 1001,
        areCanonical: true,
        areOfNow: true,
        stored: true,
      })),
      defaults: [16, 16],
    })
  })

  test('throws IdErrors', () => {
    const context = bareContext()
    runInContext(whole.code, context)
    const refusal = runInContext(
      `try { program.sno.parse('BRPK4Q72XWF2M63L') } catch (error) {
         error instanceof program.IdError && error.code + error.position
       }`,
      context,
    )
    expect(refusal).toBe('INVALID_CHARACTER0')
  })
})

describe('a program that uses one family', () => {
  /** What only that family's code has in it. */
  const MARKS: Record<string, string> = {
    flax: '-0123456789ABC',
    sno: '23456789abcdefghijklmnopqrstuvwx',
    flake: 'leading zeros',
    uuid7: 'xxxxxxxx-xxxx-7xxx',
    typeid: 'a suffix',
    ulid: 'the random part of this millisecond',
    uid: '.0123456789ABC',
  }

  const marksIn = (code: string): string[] =>
    Object.keys(MARKS).filter((name) => code.includes(MARKS[name] as string))

  describe.each([
    ['by package.json', true],
    ['by the code alone', false],
  ])('with a bundler that learns about side effects %s', (_, isTold) => {
    test.each([
      ['flax', 'core'],
      ['sno', 'core'],
      ['flake', 'core'],
      ['uuid7', 'core'],
      ['typeid', 'core'],
      ['ulid', 'core'],
      ['uid', 'families'],
      ['uidLocal', 'families'],
    ])('%s of %s: contains the code of that family only', async (family, from) => {
      const { code } = await bundle(`export { ${family} } from '@snoflax/${from}'`, { isTold })
      expect(marksIn(code)).toEqual([family === 'uidLocal' ? 'uid' : family])
      expect(code).not.toContain('STORAGE_REFUSED')
    })

    test.each(['flax', 'uuid7', 'typeid'])(
      '%s of core/light: nor the rest of that family',
      async (family) => {
        const { code } = await bundle(`export { ${family} } from '@snoflax/core/light'`, { isTold })
        expect(marksIn(code)).toEqual(family === 'uuid7' ? [] : [family])
        for (const whole of ['STORAGE_REFUSED', 'lowerBound', '~standard', 'backfill'])
          expect(code).not.toContain(whole)
      },
    )

    test('contains no family if it uses none', async () => {
      const { code } = await bundle("import '@snoflax/core'; export const done = true", { isTold })
      expect(marksIn(code)).toEqual([])
      expect(code).not.toContain('STORAGE_REFUSED')
    })
  })

  test('contains all families if it imports everything', async () => {
    const { code } = await bundle("export * from '@snoflax/core'; export * from '@snoflax/families'")
    for (const mark of Object.values(MARKS)) expect(code).toContain(mark)
    expect(code).toContain('STORAGE_REFUSED')
  })
})

describe('copies of a program', () => {
  const FAMILIES = '[program.flax, program.uuid7, program.ulid, program.typeid("cus")]'
  // With a time of its own, so that only the random bits of two copies differ.
  const IDS = `${FAMILIES}.flatMap((family) => [family.generateAt(0x180_0000_0000), family.generateAt(0x180_0000_0000)])`

  let code: string
  beforeAll(async () => {
    code = (await bundle("export { flax, typeid, ulid, uuid7 } from '@snoflax/core'")).code
  })

  test('threads have bytes of their own', async () => {
    const thread = () =>
      new Promise<string[]>((resolve, reject) => {
        const program = `${code}; require('node:worker_threads').parentPort.postMessage(${IDS})`
        new Worker(program, { eval: true }).once('message', resolve).once('error', reject)
      })
    const ids = (await Promise.all([thread(), thread(), thread()])).flat()
    expect(new Set(ids).size).toBe(3 * 8)
  })

  test('processes started from one snapshot take fresh bytes, even if the clock stands still', () => {
    const directory = mkdtempSync(join(tmpdir(), 'snapshot-'))
    const [program, blob] = [join(directory, 'program.js'), join(directory, 'blob')]
    const node = (...args: string[]) =>
      execFileSync(process.execPath, ['--snapshot-blob', blob, ...args], { encoding: 'utf8' })
    writeFileSync(
      program,
      `${code}
      Date.now = () => 0x180_0000_0000
      performance.now = () => 0;
      ${IDS};
      require('node:v8').startupSnapshot.setDeserializeMainFunction(() => console.log(JSON.stringify(${IDS})))`,
    )
    try {
      node('--build-snapshot', program)
      const ids = [node(), node()].flatMap((ids) => JSON.parse(ids) as string[])
      expect(new Set(ids).size).toBe(2 * 8)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

describe('the sizes in the README', () => {
  const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const told = [...README.matchAll(/^\| `(\w+|\*|[\w, ]+ of light)` \| ([\d.]+) kB \| ([\d.]+) kB \|$/gm)]

  test('are listed for every family and the whole', () => {
    expect(told.map(([, name]) => name)).toEqual([
      'flax of light',
      'uuid7 of light',
      'flax, prefixed of light',
      'typeid of light',
      'flax',
      'uuid7',
      'typeid',
      'ulid',
      'sno',
      'flake',
      'storageFor',
      'readings',
      '*',
    ])
  })

  // 5 % either way: what grows has to be told, and compressors of other versions differ by some bytes.
  test.each(told.map(([, ...cells]) => cells as [string, string, string]))(
    '%s: as listed, give or take 5 percent',
    async (name, minified, gzip) => {
      const [names = '', isLight] = name.split(' of ')
      const entry = isLight ? '/light' : name === 'readings' ? '/inspect' : ''
      const { code } = await bundle(
        `export ${names === '*' ? '*' : `{ ${names} }`} from '@snoflax/core${entry}'`,
        {
          minify: true,
        },
      )
      for (const [bytes, told] of [
        [code.length, minified],
        [gzipSync(code).length, gzip],
      ] as const) {
        const kB = Math.round(bytes / 100) / 10
        expect(Math.abs(kB / Number(told) - 1), `${kB} kB, the README says ${told}`).toBeLessThan(0.05)
      }
    },
  )
})
