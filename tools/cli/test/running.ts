import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { run } from 'snoflax'

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Given {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly isTTY?: boolean
}

/** In this process. */
export async function cli(
  argv: readonly string[],
  { input, env = {}, isTTY = false }: Given = {},
): Promise<Ran> {
  const [out, err] = [collector(isTTY), collector(isTTY)]
  const code = await run(argv, { stdin: stdinOf(input), stdout: out, stderr: err, env })
  return { code, out: out.text(), err: err.text() }
}

function collector(isTTY: boolean) {
  const chunks: string[] = []
  return { isTTY, write: (text: string) => chunks.push(text) > 0, text: () => chunks.join('') }
}

/** Without an input a terminal that nobody types into. */
const stdinOf = (input: string | undefined) => ({
  isTTY: input === undefined,
  // One character at a time, as a slow writer gives them.
  async *[Symbol.asyncIterator]() {
    yield* input ?? ''
  },
})

export const BIN = fileURLToPath(new URL('../bin/snoflax.js', import.meta.url))

/** The built command, in a process of its own. */
export function bin(argv: readonly string[], { input = '', env = {} }: Given = {}): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...argv], { env: { PATH: process.env['PATH'] ?? '', ...env } })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }))
  })
}

/** What a command printed as JSON. @throws what it complained of instead. */
export function json<Content>({ out, err }: Ran): Content {
  if (out === '') throw new Error(err)
  return JSON.parse(out)
}
