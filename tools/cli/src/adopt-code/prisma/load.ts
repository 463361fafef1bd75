import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { BIN } from '../../bin.js'
import type { Facts } from '../load/facts.js'
import { pathOf } from '../load/process.js'
import { type Schema, schemaFacts } from './facts.js'
import { blocksOf } from './schema.js'

/** The hidden command that Prisma starts as a generator. */
export const GENERATOR = 'load-schema'

/** Serves as a generator of Prisma, which writes down what Prisma passes to generators. */
export async function answerSchema(
  input: AsyncIterable<string | Uint8Array>,
  output: { write(text: string): unknown },
): Promise<void> {
  for await (const line of createInterface({ input: Readable.from(input) })) {
    const { id, method, params } = JSON.parse(line)
    if (method === 'generate')
      writeFileSync(
        params.generator.output.value,
        JSON.stringify({ datamodel: params.dmmf.datamodel, provider: params.datasources[0]?.provider }),
      )
    const result = method === 'getManifest' ? { manifest: { prettyName: 'snoflax' } } : null
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  }
}

/** What the application's own Prisma knows of a schema of one or several files. Nothing connects, and no client is written. */
export async function prismaFacts(texts: ReadonlyMap<string, string>): Promise<Facts> {
  const sources = [...texts].filter(([, text]) => blocksOf(text).some(({ kind }) => kind === 'datasource'))
  const [first = ''] = texts.keys()
  const [main = first, other] = sources.map(([file]) => file)
  const failed = (reason: string, file = main): Facts => ({
    database: 'sqlite',
    tables: [],
    failures: [{ file, reason }],
  })
  if (sources.length === 0) return failed('the schema has no datasource: pass the file that has it, too')
  if (other) return failed(`another schema is in ${relative('.', other)}: pass the files of one`)
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-schema-'))
  try {
    const copies = new Map([...texts.keys()].map((file, at) => [`${at}-${basename(file)}`, file]))
    const answer = join(folder, 'answer.json')
    const command = [process.execPath, BIN].map((path) => `"${path}"`).join(' ')
    const generator = `\ngenerator snoflaxLoad {\n  provider = ${JSON.stringify(`${command} adopt ${GENERATOR}`)}\n  output = ${JSON.stringify(answer)}\n}\n`
    for (const [copy, file] of copies)
      writeFileSync(join(folder, copy), texts.get(file) + (file === main ? generator : ''))
    const only = copies.size === 1 ? [...copies.keys()][0] : undefined
    const said = await generate(pathOf('prisma', main, 'prisma/build/index.js'), folder, only ?? '.')
    if (said === undefined) return schemaFacts(JSON.parse(readFileSync(answer, 'utf8')) as Schema, texts)
    const [, reason = said.trim().split('\n').at(-1), copy = '', line] =
      /^error: (?:Error validating: )?(.*?)\.?$(?:\s*-->\s*(\S+):(\d+))?/m.exec(said) ?? []
    const file = copies.get(basename(copy))
    return failed(`${reason}${line ? `, in line ${line}` : ''}`, file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs our generator alone. What Prisma says if it fails. */
function generate(prisma: string, cwd: string, schema: string): Promise<string | undefined> {
  // It needs none of these, but would fetch them.
  const engines = ['SCHEMA_ENGINE_BINARY', 'QUERY_ENGINE_BINARY', 'QUERY_ENGINE_LIBRARY'].map(
    (name) => [`PRISMA_${name}`, process.execPath] as const,
  )
  const env = { ...process.env, ...Object.fromEntries(engines), ...SILENT }
  const child = spawn(
    process.execPath,
    [prisma, 'generate', '--schema', schema, '--generator', 'snoflaxLoad'],
    { cwd, env, timeout: 120_000, killSignal: 'SIGKILL' },
  )
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void said.push(text))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) =>
      done(code === 0 ? undefined : `${said.join('')}\nprisma generate ended with ${code}`),
    )
  })
}

const SILENT = {
  NO_COLOR: '1',
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
  PRISMA_GENERATE_SKIP_AUTOINSTALL: '1',
}
