import { flake, flax, type IdFamily, type IdStorage, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

/** How a database generates the ids of a family itself. */
interface DatabaseGenerator {
  readonly family: IdFamily
  /** The statement to run before the first id. */
  readonly setUp?: string
  /** The fields that its ids then contain. */
  readonly carries?: Readonly<Record<string, number>>
}

const PARTITION = 1234
const WORKER = { datacenter: 3, worker: 14 }
const NODE = 'quakes in PGlite'

/** Numbers used only by this database; the networks have others. */
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

  /** The id's text, read from the column's bytes. */
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

  /** If ids sort by time alone, one function serves for both bounds. */
  upperBound(at: string): string {
    return this.storage.family.exactRange
      ? this.lowerBound(at)
      : `${this.prefix}_upper_bound${this.suffix}(${at})`
  }

  private get suffix(): string {
    return this.storage.name === 'binary' ? '' : `_${this.storage.name}`
  }
}
