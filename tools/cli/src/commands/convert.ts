import type { IdFamily, StorageName } from '@snoflax/core'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import {
  type FamilyOptions,
  families,
  familiesFor,
  familyNamed,
  type Reading,
  readingsOf,
  type Seals,
} from '../ids/families.js'
import { formOf, hasForm, literalOf, storageNamed } from '../ids/forms.js'
import { sealsOf } from '../ids/seals.js'
import type { Terminal } from '../terminal.js'
import { addPrefixOption, type Dialect, dialectNamed, examples } from './options.js'

interface Options extends FamilyOptions {
  readonly to: StorageName | 'sealed'
  readonly sealKeys?: string
  readonly family?: string
  readonly prefix?: string
  readonly dialect?: Dialect
  readonly json?: true
}

export const convert = (terminal: Terminal): Command =>
  addPrefixOption(new Command('convert'))
    .description('convert ids to another form; with --prefix, texts get that prefix')
    .argument('[ids...]', 'ids in any form; default: the lines of standard input')
    .requiredOption('--to <storage>', 'text, binary, uuid, uuid8, bigint or sealed', formNamed)
    .option('--family <family>', 'the family, if the form alone is ambiguous')
    .option('--seal-keys <file>', 'open and write sealed ids with the keys in this file, one per line')
    .option('--dialect <dialect>', 'write literals of postgres, sqlite or mysql', dialectNamed)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      examples(
        'convert --family flax --to uuid Kpcan0M1FakODT4k',
        'convert --to binary --dialect postgres cus_Kpcan0M1FakODT4k',
      ),
    )
    .action(async (ids: string[], options: Options) => {
      const { to, family, prefix, dialect, sealKeys, json } = options
      const known = family === undefined ? undefined : [familyNamed(family)]
      const seals = sealKeys === undefined ? undefined : await sealsOf(sealKeys)
      const write = writer(to, known, prefix, dialect, seals)
      const results = (async function* () {
        for await (const input of terminal.inputs(ids))
          yield { input, output: only(terminal, input, write, options) ?? null }
      })()
      if (json) return terminal.printJsonArray(results)
      for await (const { output } of results) if (output !== null) await terminal.print(output)
    })

const formNamed = (name: string): StorageName | 'sealed' => (name === 'sealed' ? name : storageNamed(name))

type Write = (input: string) => { readonly outputs: readonly string[]; readonly families: readonly string[] }

/** Returns the distinct outputs of the input's readings, and the readings' families. */
function writer(
  form: StorageName | 'sealed',
  known: readonly IdFamily[] | undefined,
  prefix: string | undefined,
  dialect: Dialect | undefined,
  seals: Seals | undefined,
): Write {
  if (form === 'sealed' && seals === undefined) throw new UsageError('--to sealed needs --seal-keys <file>')
  const isSuited = (family: IdFamily): boolean => form === 'sealed' || hasForm(family, form)
  if (!(known ?? families()).some(isSuited))
    throw new UsageError(`${known?.[0]?.name} has no storage ${form}`)
  const write = ({ family, id }: Reading): string => {
    if (form === 'sealed') return (seals as Seals).seal(family, id)
    return dialect === undefined ? formOf(family, form, id) : literalOf(dialect, family, form, id)
  }
  return (input) => {
    const { found } = readingsOf(input, known ?? familiesFor(input), prefix, seals)
    return {
      outputs: [...new Set(found.filter(({ family }) => isSuited(family)).map(write))],
      families: found.map(({ family }) => family.name),
    }
  }
}

/** The output. If there is none or several, complains and returns undefined. */
function only(terminal: Terminal, input: string, write: Write, { to, prefix }: Options): string | undefined {
  const { outputs, families } = write(input)
  if (outputs.length === 1) return outputs[0]
  const shown = JSON.stringify(input)
  const behind = prefix === undefined ? '' : ` behind the prefix ${prefix}_ or without one`
  terminal.complainAbout(
    families.length === 0
      ? `${shown} is not an id${behind}; run snoflax inspect to see why`
      : outputs.length === 0
        ? `${shown} is an id of ${families.join(' or ')}, which has no storage ${to}`
        : `${shown} could be an id of several families, so the result could be ${outputs.join(' or ')}; pass --family`,
  )
  return undefined
}
