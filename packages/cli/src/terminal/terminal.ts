import type { EventEmitter } from 'node:events'
import { once } from 'node:events'
import { EXIT, type ExitCode, UsageError } from '../exit.js'
import { type Paint, painter } from './colour.js'
import { unmark } from './hyphened-ids.js'
import type { Io } from './io.js'

/** What commands talk to: lines out, ids in, and the exit code of the run. */
export class Terminal {
  exitCode: ExitCode = EXIT.ok
  readonly paint: Paint
  readonly #paintError: Paint

  constructor(readonly io: Io) {
    this.paint = painter(io, io.stdout)
    this.#paintError = painter(io, io.stderr)
  }

  /** Waits while the reader is slow, so that a million lines don't lie in memory. */
  async print(text: string): Promise<void> {
    const { stdout } = this.io
    if (!stdout.write(`${text}\n`) && stdout.once) await once(stdout as unknown as EventEmitter, 'drain')
  }

  printJson(value: unknown): Promise<void> {
    return this.print(JSON.stringify(value, null, 2))
  }

  /** A line beside the output, on standard error. */
  note(text: string): void {
    this.io.stderr.write(`${text}\n`)
  }

  complain(message: string): void {
    this.note(`${this.#paintError('red', 'snoflax:')} ${message}`)
  }

  /** Complains about what was examined; the run goes on, and ends with code 1. */
  complainAbout(message: string): void {
    this.complain(message)
    this.exitCode = EXIT.findings
  }

  /** The arguments, or the lines of standard input where there are none. */
  async *given(values: readonly string[]): AsyncIterable<string> {
    if (values.length > 0) yield* values.map(unmark)
    else if (this.io.stdin.isTTY) throw new UsageError('give ids, or pipe them in, one a line')
    else yield* lines(this.io.stdin)
  }
}

async function* lines(input: Io['stdin']): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    const text = rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
    const whole = text.split('\n')
    rest = whole.pop() as string
    yield* whole.map((line) => line.trim()).filter(Boolean)
  }
  if (rest.trim()) yield rest.trim()
}
