import { Command } from 'commander'
import { familyNamed } from '../ids/families.js'
import { formOf, storageNamed } from '../ids/forms.js'
import { type GeneratorOptions, idMaker } from '../ids/generators.js'
import type { Terminal } from '../terminal/terminal.js'
import { wholeNumber } from './family-options.js'

interface Options extends GeneratorOptions {
  readonly count: number
  readonly at?: string
  readonly to: string
  readonly json?: true
}

const LINES_AT_ONCE = 1000

export const generate = (terminal: Terminal): Command =>
  new Command('generate')
    .description('make ids')
    .argument('[family]', 'flax, sno, flake, uid or uidLocal', 'flax')
    .option('-n, --count <count>', 'how many', wholeNumber, 1)
    .option('--meta <byte>', 'sno: metabyte, 0 to 255', wholeNumber)
    .option('--partition <number>', 'sno: partition, 0 to 65535 (default: random)', wholeNumber)
    .option('--node <name>', 'uid: name of the node', String)
    .option('--datacenter <number>', 'flake: datacenter, 0 to 31 (default: 0)', wholeNumber)
    .option('--worker <number>', 'flake: worker, 0 to 31', wholeNumber)
    .option('--epoch <time>', 'flake: what ids count their time from (default: 1970)')
    .option('--neighbourhood <bits>', 'uid: neighbourhood, 5 to 10 (default: 8)', wholeNumber)
    .option('--at <time>', 'make ids of that moment')
    .option('--to <storage>', 'print them as text, binary, uuid, uuid8 or bigint', 'text')
    .option('--json', 'print a JSON array')
    .action(async (name: string, { count, at, to, json, ...options }: Options) => {
      const family = familyNamed(name)
      const make = idMaker(family.name, options, at)
      const form = storageNamed(to)
      const next = (): string => formOf(family, form, make())
      if (json) await terminal.printJson(Array.from({ length: count }, next))
      else await printMany(terminal, count, next)
    })

async function printMany(terminal: Terminal, count: number, next: () => string): Promise<void> {
  for (let left = count; left > 0; left -= LINES_AT_ONCE) {
    await terminal.print(Array.from({ length: Math.min(left, LINES_AT_ONCE) }, next).join('\n'))
  }
}
