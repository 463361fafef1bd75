import { baseOf, isPrefixed } from '@snoflax/core/adapter'
import { Command } from 'commander'
import { type FamilyOptions, familiesFor, familyNamed, type Reading, readingsOf } from '../ids/families.js'
import { sealsOf } from '../ids/seals.js'
import { showUtc } from '../ids/time.js'
import { describeReading, pictureReading } from '../inspection.js'
import type { Paint, Terminal } from '../terminal.js'
import { addFamilyOptions, addPrefixOption } from './options.js'

interface Options extends FamilyOptions {
  readonly family?: string
  readonly prefix?: string
  readonly sealKeys?: string
  readonly json?: true
}

export const inspect = (terminal: Terminal): Command =>
  addFamilyOptions(
    addPrefixOption(new Command('inspect'))
      .description('show the contents of ids, passed as text (with or without a prefix), hex, uuid or number')
      .argument('[ids...]', 'ids; default: the lines of standard input')
      .option('--family <family>', 'read them as this family only')
      .option('--seal-keys <file>', 'open sealed ids with the keys in this file, one per line')
      .option('--json', 'print a JSON array'),
  ).action(async (ids: string[], { family, prefix, sealKeys, json, ...options }: Options) => {
    const seals = sealKeys === undefined ? undefined : await sealsOf(sealKeys)
    const stated = family === undefined ? undefined : [familyNamed(family, options)]
    const results = (async function* () {
      for await (const input of terminal.given(ids)) {
        const known = stated ?? familiesFor(input, options)
        const { found, refusals } = readingsOf(input, known, prefix, seals)
        if (found.length === 0) complain(terminal, input, refusals)
        yield { input, found, refusals }
      }
    })()
    if (json) {
      const documents = (async function* () {
        for await (const { input, found, refusals } of results) yield toDocument(input, found, refusals)
      })()
      return terminal.printJsonArray(documents)
    }
    for await (const { input, found } of results) {
      if (found.length > 0) await terminal.print(picture(terminal, input, found))
    }
  })

function complain(terminal: Terminal, input: string, refusals: readonly string[]): void {
  const reasons = refusals.map((reason) => `  ${reason}`)
  terminal.complainAbout(`${JSON.stringify(input)} is not an id`, ...reasons)
}

function toDocument(input: string, found: readonly Reading[], refusals: readonly string[]): object {
  if (found.length === 0) return { input, readings: [], refusals }
  return { input, readings: found.map(describeReading) }
}

/** The likely readings in full; of others a line, if there is a likely one. */
function picture({ paint }: Terminal, input: string, found: readonly Reading[]): string[] {
  const likely = found.filter(({ plausible }) => plausible)
  const shown = likely.length > 0 ? likely : found
  return [
    paint('bold', input),
    ...(shown.length > 1 ? [paint('yellow', `  several families fit: ${shown.map(nameOf).join(', ')}`)] : []),
    ...shown.flatMap((reading) => pictureReading(reading, paint)),
    ...found.filter((reading) => !shown.includes(reading)).map((reading) => unlikely(reading, paint)),
  ]
}

const nameOf = ({ family, form }: Reading): string =>
  `${baseOf(family).name}${isPrefixed(family) ? ` behind ${family.prefix}_` : ''} (${form})`

const unlikely = (reading: Reading, paint: Paint): string =>
  paint('dim', `  or ${nameOf(reading)} of ${showUtc(reading.family.timeMs(reading.id))}, an unlikely time`)
