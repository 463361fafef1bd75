import { parseArgs } from 'node:util'

export interface Settings {
  /** Whether all families, storages and databases are shown and checked. */
  readonly all: boolean
  /** How many weeks of quakes the measured tables contain. */
  readonly weeks: number
}

const DEFAULT_WEEKS = '26'
const MAX_WEEKS = 520

/** The settings from the command line. Invalid ones end the process with a message. */
export function readSettings(): Settings {
  try {
    return parse(process.argv.slice(2))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}

function parse(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: { all: { type: 'boolean', default: false }, weeks: { type: 'string', default: DEFAULT_WEEKS } },
  })
  const weeks = Number(values.weeks)
  if (!Number.isInteger(weeks) || weeks < 1 || weeks > MAX_WEEKS) {
    throw new Error(`--weeks must be an integer from 1 to ${MAX_WEEKS}, not ${values.weeks}`)
  }
  return { all: values.all, weeks }
}
