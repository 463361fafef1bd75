import type { IdFamily, IdReading, StorageName } from '@snoflax/core'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import { type FamilyOptions, families, familyNamed, readingsOf } from '../ids/families.js'
import { formOf, hasForm, literalOf, storageNamed } from '../ids/forms.js'
import type { Terminal } from '../terminal.js'
import { addPrefixOption, type Dialect, dialectNamed } from './options.js'

interface Options extends FamilyOptions {
  readonly to: StorageName
  readonly family?: string
  readonly prefix?: string
  readonly dialect?: Dialect
  readonly json?: true
}

export const convert = (terminal: Terminal): Command =>
  addPrefixOption(new Command('convert'))
    .description('write ids in another form; with --prefix texts begin with it')
    .argument('[ids...]', 'ids in any form; without any, the lines of standard input')
    .requiredOption('--to <storage>', 'text, binary, uuid, uuid8 or bigint', storageNamed)
    .option('--family <family>', 'the family, where the form alone does not tell')
    .option('--dialect <dialect>', 'write literals of postgres, sqlite or mysql', dialectNamed)
    .option('--json', 'print a JSON array')
    .action(async (ids: string[], { to, family, prefix, dialect, json }: Options) => {
      const known = family === undefined ? families() : [familyNamed(family)]
      const write = writer(to, known, prefix, dialect)
      const documents: object[] = []
      for await (const input of terminal.given(ids)) {
        const output = only(terminal, input, write)
        if (json) documents.push({ input, output: output ?? null })
        else if (output !== undefined) await terminal.print(output)
      }
      if (json) await terminal.printJson(documents)
    })

type Write = (input: string) => string[]

/** Gives the distinct outputs that the input can have, by family. */
function writer(
  form: StorageName,
  known: readonly IdFamily[],
  prefix: string | undefined,
  dialect: Dialect | undefined,
): Write {
  const suited = known.filter((family) => hasForm(family, form))
  if (suited.length === 0) throw new UsageError(`${known[0]?.name} has no storage ${form}`)
  const write = ({ family, id }: IdReading): string => {
    if (dialect !== undefined) return literalOf(dialect, family, form, id)
    return form === 'text' && prefix !== undefined ? id : formOf(family, form, id)
  }
  return (input) => [...new Set(readingsOf(input, suited, prefix).found.map(write))]
}

/** The one output, or nothing and a complaint. */
function only(terminal: Terminal, input: string, write: Write): string | undefined {
  const outputs = write(input)
  if (outputs.length === 1) return outputs[0]
  terminal.complainAbout(
    outputs.length === 0
      ? `${JSON.stringify(input)} is not an id with this storage`
      : `${JSON.stringify(input)} fits several families, which give ${outputs.join(' and ')}; say --family`,
  )
  return undefined
}
