import { readFileSync } from 'node:fs'
import { IdError } from '@snoflax/core'
import { Command, CommanderError } from 'commander'
import { adopt } from './commands/adopt.js'
import { convert } from './commands/convert.js'
import { doctor } from './commands/doctor.js'
import { find } from './commands/find.js'
import { generate } from './commands/generate.js'
import { inspect } from './commands/inspect.js'
import { mcp } from './commands/mcp.js'
import { examples } from './commands/options.js'
import { range } from './commands/range.js'
import { sealKey } from './commands/seal-key.js'
import { sql } from './commands/sql.js'
import { EXIT, type ExitCode, UsageError } from './exit.js'
import { type Io, linesOf, markHyphened, processIo, Terminal } from './terminal.js'

const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/**
 * Runs the command with the arguments that follow its name, and returns the exit code, one of {@link EXIT}.
 *
 * @example
 * process.exitCode = await run(['inspect', 'Kpcan0M1FakODT4k', '--json'])
 */
export async function run(argv: readonly string[], io: Io = processIo()): Promise<ExitCode> {
  const terminal = new Terminal(io)
  try {
    await program(terminal).parseAsync(markHyphened(argv), { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (isExpected(error)) terminal.complain(error.message)
    else terminal.complain(...described(error))
    return EXIT.usage
  }
}

const COMMANDS = [
  generate,
  inspect,
  convert,
  range,
  sql,
  doctor,
  find,
  (terminal: Terminal) => mcp(terminal, VERSION, run),
  adopt,
  sealKey,
]

function program(terminal: Terminal): Command {
  const root = new Command('snoflax')
    .description(
      'Generate, inspect and convert ids, print bounds and migrations, find the row of an id, examine a database, and replace the keys of its tables.',
    )
    .version(VERSION)
  for (const command of COMMANDS) root.addCommand(command(terminal))
  for (const command of [root, ...root.commands, ...root.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void terminal.print(linesOf(text.trimEnd())),
      writeErr: (text) => terminal.note(...linesOf(text.trimEnd())),
      // The text repeats an argument, and may suggest another one on a second line.
      outputError: (text) =>
        terminal.complain(
          ...(text
            .slice('error: '.length)
            .trimEnd()
            .split(/\n(?=\(Did you mean )/) as [string]),
        ),
    })
  }
  return root.addHelpText(
    'after',
    `${examples('inspect cus_Kpcan0M1FakODT4k', 'find cus_Kpcan0M1FakODT4k "$DATABASE_URL"', 'range flax 2026-11', 'doctor "$DATABASE_URL"', 'adopt code src')}\n\nExit codes: 0 success, 1 malformed ids, nothing found, or findings, 2 the command could not run, 3 something could not be checked.`,
  )
}

const isExpected = (error: unknown): error is Error => error instanceof UsageError || error instanceof IdError

/** A mistake of ours: its name, code and message on one line, then where it was thrown. */
function described(error: unknown): [string, ...string[]] {
  if (!(error instanceof Error)) return [String(error)]
  const { name, message, stack = '', code = '' } = error as NodeJS.ErrnoException
  return [`${name} ${code}: ${message}`, ...linesOf(stack).filter((line) => line.startsWith('    at '))]
}
