import { bar } from './bar.js'
import { type ColourSettings, coloured, type Paint, plain, wantsColour } from './colour.js'

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The maximum length of a line on any terminal. */
export const WIDTH = 100

const BAR_WIDTH = 24
/** How often to print a line of progress if lines can't be updated. */
const PLAIN_EVERY_MS = 2500
const ERASE_LINE = '\r\u001b[K'

/** The output: permanent lines, and on a terminal one temporary line of progress. */
export class Screen {
  readonly paint: Paint
  private readonly isTerminal: boolean
  private hasProgress = false
  private saidMs: number

  constructor(
    private readonly output: Output,
    settings: ColourSettings,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.isTerminal = output.isTTY === true && settings.TERM !== 'dumb'
    this.paint = wantsColour(output.isTTY === true, settings) ? coloured : plain
    this.saidMs = nowMs()
  }

  print(...lines: readonly string[]): void {
    this.clearProgress()
    for (const line of lines) this.output.write(`${line}\n`)
    this.saidMs = this.nowMs()
  }

  section(title: string, ...explanation: readonly string[]): void {
    this.print('', this.paint('bold', title), ...explanation.map((line) => this.paint('dim', line)), '')
  }

  /** Announces a step that may take longer than a second without progress. */
  announce(what: string): void {
    if (this.isTerminal) this.update(what)
    else this.print(`… ${what}`)
  }

  /** Shows the progress of a step that may take longer than a second. */
  progress(done: number, total: number, what: string): void {
    if (this.isTerminal) {
      this.update(`${bar(done, total, BAR_WIDTH).padEnd(BAR_WIDTH, '░')} ${done} of ${total}  ${what}`)
    } else if (done > 0 && this.nowMs() - this.saidMs >= PLAIN_EVERY_MS) {
      this.print(`… ${done} of ${total}: ${what}`)
    }
  }

  private update(text: string): void {
    // A wrapped line could not be erased completely.
    const room = Math.min(this.output.columns ?? WIDTH, WIDTH) - 1
    this.output.write(ERASE_LINE + this.paint('dim', [...text].slice(0, room).join('')))
    this.hasProgress = true
  }

  private clearProgress(): void {
    if (this.hasProgress) this.output.write(ERASE_LINE)
    this.hasProgress = false
  }
}
