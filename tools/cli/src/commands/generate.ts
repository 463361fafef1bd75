import { flake, flax, type StorageName, sno, typeid, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { Command } from 'commander'
import { UsageError } from '../exit.js'
import { familyNamed, withPrefix } from '../ids/families.js'
import { formOf, storageNamed } from '../ids/forms.js'
import type { Terminal } from '../terminal.js'
import { addPrefixOption, examples, nonNegativeInteger, timeOf } from './options.js'

interface GeneratorOptions {
  readonly meta?: number
  readonly partition?: number
  readonly node?: string
  readonly datacenter?: number
  readonly worker?: number
  readonly epoch?: number
  readonly neighbourhood?: number
}

interface Options extends GeneratorOptions {
  readonly count: number
  readonly at?: number
  readonly prefix?: string
  readonly to: StorageName
  readonly json?: true
}

const LINES_AT_ONCE = 1000

export const generate = (terminal: Terminal): Command =>
  addPrefixOption(new Command('generate'))
    .description('generate ids')
    .argument('[family]', 'flax, sno, flake, uid, uidLocal, uuid7, ulid or typeid', 'flax')
    .option('-n, --count <count>', 'number of ids', nonNegativeInteger, 1)
    .option('--meta <byte>', 'sno: metabyte, 0 to 255', nonNegativeInteger)
    .option('--partition <number>', 'sno: partition, 0 to 65535 (default: random)', nonNegativeInteger)
    .option('--node <name>', 'uid: name of the node', String)
    .option('--datacenter <number>', 'flake: datacenter, 0 to 31 (default: 0)', nonNegativeInteger)
    .option('--worker <number>', 'flake: worker, 0 to 31', nonNegativeInteger)
    .option('--epoch <time>', 'flake: epoch (default: 1970)', timeOf)
    .option('--neighbourhood <bits>', 'uid: neighbourhood, 5 to 10 (default: 8)', nonNegativeInteger)
    .option('--at <time>', 'generate ids with this time', timeOf)
    .option('--to <storage>', 'print them as text, binary, uuid, uuid8 or bigint', storageNamed, 'text')
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      examples(
        'generate',
        'generate -n 5 --prefix cus',
        'generate sno --partition 7 --at 2026-11-01T12:00:00Z',
        'generate typeid --prefix user --to uuid',
      ),
    )
    .action(async (name: string, { count, at, prefix, to, json, ...options }: Options) => {
      const family = familyNamed(name)
      const make = idMaker(family.name, options, at)
      const kind = withPrefix(family, prefix)
      const head = kind === family || to !== 'text' ? '' : `${prefix}_`
      const next = (): string => head + formOf(family, to, make())
      if (json) return terminal.printJsonArray(repeated(count, next))
      for (let left = count; left > 0; left -= LINES_AT_ONCE) {
        await terminal.print(Array.from({ length: Math.min(left, LINES_AT_ONCE) }, next))
      }
    })

function* repeated<Item>(count: number, make: () => Item): Iterable<Item> {
  for (let n = 0; n < count; n++) yield make()
}

const TAKES: Readonly<Record<string, readonly (keyof GeneratorOptions)[]>> = {
  sno: ['meta', 'partition'],
  flake: ['datacenter', 'worker', 'epoch'],
  uid: ['node', 'neighbourhood'],
}

/** A function that generates ids of the family, with this time or the current one. */
function idMaker(family: string, options: GeneratorOptions, atMs: number | undefined): () => string {
  const takes = TAKES[family] ?? []
  for (const name of Object.keys(options) as (keyof GeneratorOptions)[]) {
    if (takes.includes(name)) continue
    const all = takes.map((one) => `--${one}`).join(', ') || 'none'
    throw new UsageError(`${family} has no option --${name}; its options are ${all}`)
  }
  const { meta = 0, partition, node, datacenter = 0, worker, epoch, neighbourhood } = options
  const clock = atMs === undefined ? {} : { clock: () => atMs }
  switch (family) {
    case 'flax':
      return atMs === undefined ? flax.generate : () => flax.generateAt(atMs)
    case 'sno': {
      const generator = sno.generator(partition === undefined ? {} : { partition })
      return () => (atMs === undefined ? generator.generate(meta) : generator.generateAt(atMs, meta))
    }
    case 'flake': {
      if (worker === undefined)
        throw new UsageError('flake ids need --worker, a number that no other generator uses')
      const own = epoch === undefined ? flake : flake.withEpoch(epoch)
      return own.generator({ datacenter, worker, ...clock }).generate
    }
    case 'uid': {
      if (node === undefined) throw new UsageError('uid ids need --node, a name that no other generator uses')
      const own = neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood)
      return own.generator({ node, ...clock }).generate
    }
    case 'uidLocal':
      return uidLocal.generator(clock).generate
    case 'uuid7':
    case 'ulid':
    case 'typeid': {
      const own = { uuid7, ulid, typeid: typeid('any').base }[family]
      return atMs === undefined ? own.generate : () => own.generateAt(atMs)
    }
    default:
      throw new UsageError(`${family} ids are only read, not generated; pass another family`)
  }
}
