import { flake, flax, type IdFamily, type IdStorage, sno, uid, uidLocal } from '@snoflax/core'

/** How a database makes the ids of a family by itself. */
interface DatabaseGenerator {
  readonly family: IdFamily
  /** What has to be run before the first id. */
  readonly setUp?: string
  /** The fields that its ids carry from then on. */
  readonly carries?: Readonly<Record<string, number>>
}

const PARTITION = 1234
const WORKER = { datacenter: 3, worker: 14 }
const NODE = 'quakes in PGlite'

/** The numbers are of this database alone: the networks have others. */
export const databaseGenerators: readonly DatabaseGenerator[] = [
  { family: flax },
  {
    family: sno,
    setUp: `SELECT snoflax.sno_set_partition(${PARTITION})`,
    carries: { partition: PARTITION },
  },
  {
    family: flake,
    setUp: `SELECT snoflax.flake_set_worker(${WORKER.datacenter}, ${WORKER.worker})`,
    carries: WORKER,
  },
  {
    family: uid,
    setUp: `SELECT snoflax.uid_set_node('${NODE}')`,
    carries: { node: uid.fingerprint(NODE) },
  },
  { family: uidLocal },
]

/** SQL of the functions for ids of one family in one storage. */
export class SqlFunctions {
  private readonly prefix: string

  constructor(private readonly storage: IdStorage<string>) {
    const name = storage.family.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    this.prefix = `snoflax.${name}`
  }

  get generate(): string {
    return `${this.prefix}_generate${this.suffix}()`
  }

  encode(id: string): string {
    return `${this.prefix}_encode(${id})`
  }

  /** In whole Unix milliseconds, as text; a fraction would show. */
  timeMs(id: string): string {
    return `trim_scale(extract(epoch FROM ${this.prefix}_time(${id})) * 1000)::text`
  }

  /** The id's text as the column has it, by way of its bytes. */
  fromText(text: string): string {
    const bytes = `${this.prefix}_decode(${text})`
    switch (this.storage.name) {
      case 'binary':
        return bytes
      case 'text':
        return this.encode(bytes)
      default:
        return `${this.prefix}_to${this.suffix}(${bytes})`
    }
  }

  lowerBound(at: string): string {
    return `${this.prefix}_lower_bound${this.suffix}(${at})`
  }

  /** Where ids sort by time alone, one bound serves for both ends. */
  upperBound(at: string): string {
    return this.storage.family.exactRange
      ? this.lowerBound(at)
      : `${this.prefix}_upper_bound${this.suffix}(${at})`
  }

  private get suffix(): string {
    return this.storage.name === 'binary' ? '' : `_${this.storage.name}`
  }
}
