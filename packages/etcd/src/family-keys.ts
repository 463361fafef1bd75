import { IdError } from '@snoflax/core'
import type { LeaseNumbers } from '@snoflax/leases'
import type { Gateway, Range, Stored } from './gateway.js'

/** Digits of a number in its key. */
const DIGITS = 10

/** The record of a family. */
export interface FamilyRecord {
  /** The id of the cluster that grants its leases. */
  readonly cluster: string
  /** Changed by each `adopt`. */
  readonly adoption: string
  /** No window begins before this time. */
  readonly floorMs: number
}

/** The value of a number's key. */
export interface NumberRecord {
  readonly epochMs: number
  readonly shards: readonly (Shard | null)[]
}

export interface Shard {
  readonly adoption: string
  /** Null after a release. */
  readonly token: string | null
  /** The holder's name, for people only. */
  readonly holder: string
  readonly startMs: number
  /** No id has this time or a later one. */
  readonly reservedMs: number
  /** From this time on others may lease it. */
  readonly expiresMs: number
}

/** A number's key, or one that does not exist yet. */
export interface StoredNumber extends Stored {
  readonly value: NumberRecord | undefined
}

/** What was read to give a number, with the revisions that a write compares. */
export interface Found {
  readonly adoption: string
  readonly floorMs: number
  readonly record: Stored
  readonly numbers: ReadonlyMap<number, StoredNumber>
}

/** The keys of a family: its record's, and one for each number that was ever leased. */
export class FamilyKeys {
  readonly recordKey: string

  constructor(
    private readonly gateway: Gateway,
    prefix: string,
    readonly family: string,
  ) {
    this.recordKey = `${prefix}${family}`
  }

  /** The family's record, and some numbers. */
  async read(...numbers: readonly Range[]) {
    const { clusterId, ranges, clockOffMs } = await this.answered(
      this.gateway.read([{ key: this.recordKey }, ...numbers]),
    )
    const [[record = { key: this.recordKey, value: undefined, revision: '0' }] = [], ...found] = ranges
    return { clusterId, clockOffMs, record, numbers: found.flat() as readonly StoredNumber[] }
  }

  /** Refuses a record of another cluster, and a clock that is too far off for a lease of `ttlMs`. */
  async readToGive(ttlMs: number, range: Range): Promise<Found> {
    const { clusterId, clockOffMs, record, numbers } = await this.read(range)
    const { adoption, floorMs } = checkRecord(this.family, record, clusterId)
    checkClock(this.family, clockOffMs, ttlMs)
    const byNumber = new Map(numbers.map((one) => [Number(one.key.slice(-DIGITS)), one]))
    return { adoption, floorMs, record, numbers: byNumber }
  }

  /** How many numbers of each range were ever leased. */
  counts(ranges: readonly LeaseNumbers[]): Promise<number[]> {
    return this.answered(this.gateway.count(ranges.map((range) => this.rangeOf(range))))
  }

  writeRecord(value: FamilyRecord, unchanged: Stored): Promise<boolean> {
    return this.answered(this.gateway.write(this.recordKey, value, [unchanged]))
  }

  /** False if the number or the family's record has changed since it was read. */
  writeNumber(number: number, value: NumberRecord, { numbers, record }: Found): Promise<boolean> {
    const key = this.keyOf(number)
    return this.answered(
      this.gateway.write(key, value, [numbers.get(number) ?? { key, revision: '0' }, record]),
    )
  }

  // Padded, so that keys are in the order of numbers.
  keyOf(number: number): string {
    return `${this.recordKey}/${String(number).padStart(DIGITS, '0')}`
  }

  rangeOf({ min, max }: LeaseNumbers): Range {
    return { key: this.keyOf(min), end: this.keyOf(max + 1) }
  }

  /** The gateway's answer, or an error that names the family. */
  private answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return answer.catch((cause: Error) => {
      throw unavailable(this.family, cause.message, cause)
    })
  }
}

function checkRecord(family: string, { value, key }: Stored, clusterId: string): FamilyRecord {
  if (value === undefined) {
    throw unavailable(
      family,
      `etcd has no key ${key}; call begin() if ${family} has never had leases there, else adopt()`,
    )
  }
  const record = value as FamilyRecord
  if (record.cluster === clusterId) return record
  throw unavailable(
    family,
    `the leases in etcd are those of cluster ${record.cluster}, and this is ${clusterId}; call adopt() once that one ` +
      'no longer leases numbers',
  )
}

/** Refuses a clock that is far ahead: it would reserve times far ahead, and take numbers from their holders. */
export function checkClock(family: string, clockOffMs: number | undefined, ttlMs: number): void {
  if (clockOffMs === undefined || clockOffMs <= ttlMs / 4) return
  throw unavailable(
    family,
    `this machine's clock is ${clockOffMs} ms or more from that of etcd, and ${ttlMs / 4} ms are allowed; synchronize ` +
      'both by NTP',
  )
}

export const unavailable = (family: string, why: string, cause?: unknown): IdError =>
  new IdError('LEASE_UNAVAILABLE', `${family}: ${why}`, { family, cause })
