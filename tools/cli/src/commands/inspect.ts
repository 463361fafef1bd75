import { Command } from 'commander'
import {
  behindPrefix,
  type FamilyOptions,
  familiesFor,
  familyNamed,
  type Reading,
  readingsOf,
} from '../ids/families.js'
import { describeReading, pictureReading } from '../ids/inspection.js'
import { type OtherId, otherIds } from '../ids/other-ids.js'
import { sealsOf } from '../ids/seals.js'
import { showUtc } from '../ids/time.js'
import type { Terminal } from '../terminal.js'
import { addFamilyOptions, addPrefixOption, examples } from './options.js'

interface Options extends FamilyOptions {
  readonly family?: string
  readonly prefix?: string
  readonly sealKeys?: string
  readonly json?: true
}

export const inspect = (terminal: Terminal): Command =>
  addFamilyOptions(
    addPrefixOption(new Command('inspect'))
      .description(
        'say what ids are, passed as text (with or without a prefix), hex, uuid or number, and when they were generated',
      )
      .argument('[ids...]', 'ids; default: the lines of standard input')
      .option('--family <family>', 'read them as this family only')
      .option('--seal-keys <file>', 'open sealed ids with the keys in this file, one per line')
      .option('--json', 'print a JSON array')
      .addHelpText(
        'after',
        examples(
          'inspect cus_Kpcan0M1FakODT4k',
          'inspect 1541815603606036480 01890a5d-ac96-774b-bcce-b302099a8057',
          'generate -n 3 | npx snoflax inspect --json',
        ),
      ),
  ).action(async (ids: string[], { family, prefix, sealKeys, json, ...options }: Options) => {
    const seals = sealKeys === undefined ? undefined : await sealsOf(sealKeys)
    const stated = family === undefined ? undefined : [familyNamed(family, options)]
    let count = 0
    const results = (async function* () {
      for await (const input of terminal.inputs(ids)) {
        count++
        const known = stated ?? familiesFor(input, options)
        const { found, refusals } = readingsOf(input, known, prefix, seals)
        const isSealed = found.some(({ form, plausible }) => form === 'sealed' && plausible)
        const others = stated || prefix || isSealed ? [] : await otherIds(input)
        if (found.length === 0 && others.length === 0) complain(terminal, input, refusals)
        yield { input, found, others, refusals }
      }
    })()
    if (json) {
      const documents = (async function* () {
        for await (const result of results) yield toDocument(result)
      })()
      return terminal.printJsonArray(documents)
    }
    for await (const result of results) {
      const lines = picture(terminal, result)
      if (lines.length > 0) await terminal.print([terminal.paint('bold', result.input), ...lines])
    }
    if (count === 0) terminal.note('nothing was checked: standard input is empty')
  })

interface Result {
  readonly input: string
  readonly found: readonly Reading[]
  readonly others: readonly OtherId[]
  readonly refusals: readonly string[]
}

function complain(terminal: Terminal, input: string, refusals: readonly string[]): void {
  const reasons = refusals.map((reason) => `  ${reason}`)
  terminal.complainAbout(`${JSON.stringify(input)} is not an id`, ...reasons)
}

function toDocument({ input, found, others, refusals }: Result): object {
  return {
    input,
    readings: found.map(describeReading),
    ...(others.length > 0 && {
      others: others.map(({ what, timeMs }) => ({
        what,
        ...(timeMs !== undefined && { timeMs, timeUtc: showUtc(timeMs) }),
      })),
    }),
    ...(found.length === 0 && others.length === 0 && { refusals }),
  }
}

/** The likeliest reading in full, and a line for each other likely one. */
function picture({ paint }: Terminal, { found, others }: Result): string[] {
  const [first, ...rest] = found
  const isOther = others.some(({ isLikelier }) => isLikelier)
  const isClear = first !== undefined && !isOther && (first.plausible || others.length === 0)
  const foreign = others.map(
    ({ what, timeMs }) => what + (timeMs === undefined ? '' : `, of ${showUtc(timeMs)}`),
  )
  const possible = (isClear ? rest.filter(({ plausible }) => plausible) : found).map(
    (reading) =>
      `${behindPrefix(reading.family)} (${reading.form}) of ${showUtc(reading.family.timeMs(reading.id))}${reading.plausible ? '' : ', an unlikely time'}`,
  )
  return [
    ...(isClear ? pictureReading(first, paint) : []),
    ...(isClear ? [...possible, ...foreign] : [...foreign, ...possible]).map((text, n) =>
      isClear || n > 0 ? paint('dim', `  or ${text}`) : `  ${text}`,
    ),
  ]
}
