import { randomUUID } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { styleText } from 'node:util'
import { flax } from '@snoflax/core'
import { EXIT, type ExitCode, UsageError } from './exit.js'
import { isAgo } from './ids/time.js'
import { withoutSecrets } from './live/address.js'

/** Input, output and environment of a run: by default the process's. */
export interface Io {
  /** Ids are read from here, one per line, if there are none among the arguments. A terminal is refused. */
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean }
  /** For results. */
  readonly stdout: Output
  /** For errors and notes. */
  readonly stderr: Output
  /** Environment variables, such as `NO_COLOR`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The members of a writable stream that we use. */
export interface Output {
  /** Whether it is a terminal. Only terminals get colours. */
  readonly isTTY?: boolean
  /** Writes a text; false if the writer should wait for `drain`. */
  write(text: string): boolean
  /** Calls the listener when more can be written. */
  once?(event: 'drain', listener: () => void): unknown
}

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})

/** The colours that we use, by their names in node:util. */
export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

export type Paint = (colour: Colour, text: string) => string

/** Whether to colour: by FORCE_COLOR and NO_COLOR, else on a terminal only. */
function painter({ env }: Io, output: Output): Paint {
  const forced = env['FORCE_COLOR']
  const wanted = forced === undefined ? !env['NO_COLOR'] && output.isTTY === true : forced !== '0'
  if (!wanted) return (_, text) => text
  return (colour, text) => {
    const codes = styleText(colour, '|', { validateStream: false }).replaceAll('\x1b', OWN_ESCAPE)
    return codes.split('|').join(text)
  }
}

/** Stands for the escape character of our own colours, until they are written. No value can contain it. */
const OWN_ESCAPE = `<${randomUUID()}>`

/** Control characters but the tab, and characters that change the direction of text or end a line. */
const UNSAFE = /[^\P{Cc}\t]|[\p{Bidi_Control}\u2028\u2029]/gu

/** One line. What could change the terminal, or look like another line, is escaped as in JSON. */
const lineOf = (text: string): string =>
  text
    .replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll(OWN_ESCAPE, '\x1b')

/** A text of ours that has several lines, and contains nothing from a database or an argument but quoted. */
export const linesOf = (text: string): string[] => text.split('\n')

/** A character that no argument of a process can contain. */
const MARK = '\0'

/** Marks flax ids of early 2015 and times such as `-7d`, so that the parser doesn't read their hyphen as an option's. */
export const markHyphened = (argv: readonly string[]): string[] =>
  argv.map((text) => (text.startsWith('-') && (flax.is(text) || isAgo(text)) ? MARK + text : text))

export const unmark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)

/** Input and output of commands, and the exit code of the run. */
export class Terminal {
  exitCode: ExitCode = EXIT.ok
  readonly paint: Paint
  readonly #paintError: Paint
  #shownAt = 0

  constructor(readonly io: Io) {
    this.paint = painter(io, io.stdout)
    this.#paintError = painter(io, io.stderr)
  }

  /** Waits while the reader is slow, so that a million lines don't fill the memory. */
  async print(lines: string | readonly string[], end = '\n'): Promise<void> {
    const { stdout } = this.io
    const text = [lines].flat().map(lineOf).join('\n')
    if (!stdout.write(text + end) && stdout.once) await once(stdout as unknown as EventEmitter, 'drain')
  }

  printJson(value: unknown): Promise<void> {
    return this.print(linesOf(JSON.stringify(value, null, 2)))
  }

  /** Writes an array item by item, as they arrive. */
  async printJsonArray(items: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
    let before = '['
    for await (const item of items) {
      const lines = linesOf(JSON.stringify(item, null, 2)).map((line) => `  ${line}`)
      await this.print([before, ...lines], '')
      before = ','
    }
    await this.print(before === '[' ? '[]' : ['', ']'])
  }

  /** Writes lines on standard error. */
  note(...lines: string[]): void {
    this.io.stderr.write(`${lines.map((line) => lineOf(withoutSecrets(line))).join('\n')}\n`)
  }

  /** Shows a line of progress, which the next one replaces; at most ten a second. */
  progress(text: string): void {
    const { stderr } = this.io
    const now = Date.now()
    if (!stderr.isTTY || (text !== '' && now - this.#shownAt < 100)) return
    if (text !== '' || this.#shownAt > 0) stderr.write(`\r\x1b[K${lineOf(text)}`)
    this.#shownAt = text === '' ? 0 : now
  }

  complain(message: string, ...more: string[]): void {
    this.note(`${this.#paintError('red', 'snoflax:')} ${message}`, ...more)
  }

  /** Reports malformed input; the run continues, and ends with code 1. */
  complainAbout(message: string, ...more: string[]): void {
    this.complain(message, ...more)
    this.exitCode = EXIT.findings
  }

  /** The arguments; if there are none, the lines of standard input. */
  async *inputs(values: readonly string[]): AsyncIterable<string> {
    if (values.length > 0) yield* values.map((value) => unmark(value).trim())
    else if (this.io.stdin.isTTY) throw new UsageError('pass ids as arguments, or pipe them in, one per line')
    else {
      for await (const line of createInterface({ input: Readable.from(this.io.stdin) })) {
        if (line.trim()) yield line.trim()
      }
    }
  }
}
