import { randomUUID } from 'node:crypto'
import { IdError } from '@snoflax/core'
import { checkInteger, checkOptions, refuse } from '@snoflax/core/adapter'
import type { LeasableFamily, LeaseNumbers, LeaseRequest, LeaseStore } from '@snoflax/core/leases'
import { type Fetch, Gateway, type Range, type Stored } from './gateway.js'

/** Options of {@link etcdLeases}. */
export interface EtcdOptions {
  /** Client URLs of the members, such as `http://10.0.0.1:2379`, tried in turn. */
  readonly endpoints: readonly string[]
  /** Prefix of all keys. Default `snoflax/leases/`. */
  readonly prefix?: string
  /** Headers of each request, such as `{ authorization: token }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long to wait for one member's answer, in milliseconds. Default 2000. */
  readonly timeoutMs?: number
  /** Your own `fetch`, for client certificates or tokens that change. Default the global one. */
  readonly fetch?: Fetch
}

/** A store of leases in etcd. */
export interface EtcdLeases extends LeaseStore {
  /**
   * Allows leases of a family; does nothing if the family has a record already. Call it in a deployment script: a
   * program that calls it at each start would start over after etcd has lost its data, while others still hold leases.
   */
  begin(family: LeasableFamily): Promise<void>
  /**
   * Declares that this cluster, and no other, grants the leases from now on: after a restore, or if the family's record
   * was lost. Running leases are lost, and new ones begin 120 s later, after every window that may still be in use.
   */
  adopt(family: LeasableFamily): Promise<void>
}

/** The longest lease. `adopt` waits for twice as long, so that clocks may be off by a quarter of it. */
const LONGEST_MS = 60_000
const ADOPTED_AFTER_MS = 120_000
/** The maximum number of attempts. Each reads again, and fails only if others have written meanwhile. */
const ATTEMPTS = 50
/** How many numbers are read at once, and how many counts are asked for at once, of the 128 that etcd allows. */
const AT_ONCE = 64
/** Digits of a number in its key. */
const DIGITS = 10

/** The record of a family. */
interface FamilyRecord {
  /** The id of the cluster that grants its leases. */
  readonly cluster: string
  /** Changed by each `adopt`. */
  readonly adoption: string
  /** No window begins before this time. */
  readonly floorMs: number
}

/** The value of a number's key. */
interface NumberRecord {
  readonly epochMs: number
  readonly shards: readonly (Shard | null)[]
}

interface Shard {
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

/** A shard that is free. */
interface Place {
  readonly number: number
  readonly at: number
  readonly reservedMs: number
}

/**
 * A store of leases in etcd 3.4 or newer. Call `begin` once for each family.
 *
 * @throws {IdError} `INVALID_OPTION`. The store's functions throw `LEASE_UNAVAILABLE` if no member answers, if this
 * machine's clock is too far from the member's, and if the family's record is missing or belongs to another cluster.
 *
 * @example
 * const store = etcdLeases({ endpoints: ['http://127.0.0.1:2379'] })
 * await store.begin(sno)
 * const lease = await leasePartitionFrom(store, { family: sno, numbers: { min: 1, max: 64 } })
 * lease.generator.generate() // SnoId
 * await lease.release()
 */
export function etcdLeases(options: EtcdOptions): EtcdLeases {
  checkOptions('etcdLeases', options, {
    endpoints: 'any',
    prefix: 'any',
    headers: 'any',
    timeoutMs: 'number',
    fetch: 'function',
  })
  const { endpoints, prefix = 'snoflax/leases/', headers = {}, timeoutMs = 2000 } = options
  checkEndpoints(endpoints)
  checkInteger('etcdLeases', 'timeoutMs', timeoutMs, 1, LONGEST_MS)
  const gateway = new Gateway({
    endpoints,
    headers,
    timeoutMs,
    fetch: options.fetch ?? (fetch as unknown as Fetch),
  })

  const recordOf = (family: string): string => `${prefix}${family}`
  // Padded, so that keys are in the order of numbers.
  const keyOf = (family: string, number: number): string =>
    `${recordOf(family)}/${String(number).padStart(DIGITS, '0')}`

  /** The gateway's answer, or an error that names the family. */
  const answered = <Answer>(family: string, answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((cause: Error) => {
      throw unavailable(family, cause.message, cause)
    })

  const keysOf = (family: string, { min, max }: LeaseNumbers): Range => ({
    key: keyOf(family, min),
    end: keyOf(family, max + 1),
  })

  async function read(family: string, ...numbers: readonly Range[]) {
    const ranges = [{ key: recordOf(family) }, ...numbers]
    const { clusterId, ranges: found, clockOffMs } = await answered(family, gateway.read(ranges))
    const [[record = { key: recordOf(family), value: undefined, revision: '0' }] = [], ...rest] = found
    return { clusterId, clockOffMs, record, numbers: rest.flat() }
  }

  /** The numbers and the family's record, with the revisions that a write compares. */
  async function readToGive(family: string, ttlMs: number, ...ranges: readonly Range[]) {
    const { clusterId, clockOffMs, record, numbers } = await read(family, ...ranges)
    const { adoption, floorMs } = checkRecord(family, record, clusterId)
    checkClock(family, clockOffMs, ttlMs)
    return { adoption, floorMs, record, numbers: new Map(numbers.map((one) => [one.key, one])) }
  }

  /**
   * The shards that are free, the longest unused first, and when the next one may be: of some numbers, or of those that
   * were found.
   */
  function freeIn(
    { family, epochMs, shards, ttlMs }: LeaseRequest,
    found: Awaited<ReturnType<typeof readToGive>>,
    some?: LeaseNumbers,
  ): { free: Place[]; retryMs: number | undefined } {
    const nowMs = Date.now()
    const numbers = some
      ? Array.from({ length: some.max - some.min + 1 }, (_, i) => some.min + i)
      : [...found.numbers.keys()].map((key) => Number(key.slice(-DIGITS)))
    const free: Place[] = []
    let retryMs: number | undefined
    for (const number of numbers) {
      const value = found.numbers.get(keyOf(family, number))?.value as NumberRecord | undefined
      if (value !== undefined && (value.epochMs !== epochMs || value.shards.length !== shards)) continue
      for (let at = 0; at < shards; at++) {
        const shard = value?.shards[at]
        const isHeld = shard != null && shard.token !== null && shard.adoption === found.adoption
        const reservedMs = Math.max(shard?.reservedMs ?? 0, found.floorMs)
        const freeMs = Math.max(isHeld ? shard.expiresMs : 0, reservedMs - ttlMs + 1)
        if (freeMs <= nowMs) free.push({ number, at, reservedMs })
        else retryMs = Math.min(retryMs ?? Infinity, freeMs - nowMs)
      }
    }
    free.sort((a, b) => a.reservedMs - b.reservedMs || a.number - b.number || a.at - b.at)
    return { free, retryMs }
  }

  /** A few of the numbers, of which one at least was never leased; undefined if all were. All, if they are few. */
  async function unused(
    family: string,
    numbers: LeaseNumbers,
    attempt: number,
  ): Promise<LeaseNumbers | undefined> {
    let found = numbers
    while (found.max - found.min >= AT_ONCE) {
      const { min, max } = found
      const size = Math.ceil((max - min + 1) / AT_ONCE)
      const parts = Array.from({ length: Math.ceil((max - min + 1) / size) }, (_, i) => ({
        min: min + i * size,
        max: Math.min(min + (i + 1) * size - 1, max),
      }))
      const counts = await answered(family, gateway.count(parts.map((part) => keysOf(family, part))))
      const open = parts.filter((part, i) => (counts[i] as number) <= part.max - part.min)
      if (open.length === 0) return undefined
      found = oneOf(open, attempt)
    }
    return found
  }

  const write = (
    family: string,
    key: string,
    value: unknown,
    ...unchanged: readonly Omit<Stored, 'value'>[]
  ) => answered(family, gateway.write(key, value, unchanged))

  /** Whether a write whose answer was lost has succeeded. */
  async function isWritten(family: string, key: string, at: number, token: string): Promise<boolean> {
    const { numbers } = await read(family, { key })
    return (numbers[0]?.value as NumberRecord | undefined)?.shards[at]?.token === token
  }

  async function writeRecord(family: string, isFirst: boolean): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { clusterId, clockOffMs, record } = await read(family)
      if (isFirst && record.value !== undefined) return
      checkClock(family, clockOffMs, LONGEST_MS)
      const floorMs = Date.now() + (isFirst ? 0 : ADOPTED_AFTER_MS)
      const value: FamilyRecord = { cluster: clusterId, adoption: randomUUID(), floorMs }
      if (await write(family, record.key, value, record)) return
    }
    throw crowded(family)
  }

  /** Changes the shard that has the token; undefined if none has it. */
  async function replace(
    token: string,
    ttlMs: number | undefined,
    next: (shard: Shard, nowMs: number) => Shard,
  ): Promise<Shard | undefined> {
    const { family, number } = placeOf(token)
    const key = keyOf(family, number)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { adoption, record, numbers } = await readToGive(family, ttlMs ?? Infinity, { key })
      const stored = numbers.get(key)
      const { shards = [], ...rest } = (stored?.value ?? {}) as Partial<NumberRecord>
      const at = shards.findIndex((shard) => shard?.token === token && shard.adoption === adoption)
      const shard = shards[at]
      if (stored === undefined || shard == null) return undefined
      const changed = next(shard, Date.now())
      if (await write(family, key, { ...rest, shards: placed(shards, at, changed) }, stored, record))
        return changed
    }
    throw crowded(family)
  }

  return {
    async acquire(request) {
      const { family, epochMs, numbers, shards, ttlMs, holder } = request
      checkTtl(request)
      const secret = randomUUID({ disableEntropyCache: true })
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const few = await unused(family, numbers, attempt)
        let found = await readToGive(
          family,
          ttlMs,
          few ? keysOf(family, few) : { ...keysOf(family, numbers), oldest: AT_ONCE },
        )
        let { free, retryMs } = freeIn(request, found, few)
        if (free.length === 0 && few === undefined) {
          found = await readToGive(family, ttlMs, keysOf(family, numbers))
          ;({ free, retryMs } = freeIn(request, found))
        }
        if (free.length === 0) {
          const isFloorAhead = found.floorMs - ttlMs >= Date.now()
          if (few === undefined || few === numbers || isFloorAhead) return { retryMs }
          continue
        }
        const { number, at, reservedMs } = oneOf(free, attempt)
        const key = keyOf(family, number)
        const stored = found.numbers.get(key) ?? { key, value: undefined, revision: '0' }
        const before = (stored.value as NumberRecord | undefined)?.shards ?? Array<null>(shards).fill(null)
        const token = tokenOf(family, number, secret)
        const nowMs = Date.now()
        const given: Shard = {
          adoption: found.adoption,
          token,
          holder,
          // If the number was unused for a while, holders whose clocks are behind can start at once.
          startMs: Math.max(reservedMs, nowMs - ttlMs),
          reservedMs: nowMs + ttlMs,
          expiresMs: nowMs + ttlMs,
        }
        const value: NumberRecord = { epochMs, shards: placed(before, at, given) }
        const isGranted =
          (await write(family, key, value, stored, found.record)) || (await isWritten(family, key, at, token))
        if (isGranted) return { token, number, shard: at, startMs: given.startMs, untilMs: given.reservedMs }
      }
      throw crowded(family)
    },
    async renew(token, ttlMs) {
      const shard = await replace(token, ttlMs, (shard, nowMs) => ({
        ...shard,
        reservedMs: Math.max(shard.reservedMs, nowMs + ttlMs),
        expiresMs: nowMs + ttlMs,
      }))
      return shard && { startMs: shard.startMs, untilMs: shard.reservedMs }
    },
    async release(token, usedUntilMs) {
      await replace(token, undefined, (shard) => ({
        ...shard,
        token: null,
        reservedMs: Math.min(shard.reservedMs, Math.max(shard.startMs, Math.ceil(usedUntilMs))),
      }))
    },
    begin: ({ name }) => writeRecord(name, true),
    adopt: ({ name }) => writeRecord(name, false),
  }
}

/** The first one, but any after conflicts, so that processes that ask together spread out. */
const oneOf = <Choice>(choices: readonly Choice[], attempt: number): Choice =>
  choices[Math.floor(Math.random() * Math.min(choices.length, attempt ** 2))] as Choice

const placed = (shards: readonly (Shard | null)[], at: number, shard: Shard): readonly (Shard | null)[] =>
  shards.map((one, i) => (i === at ? shard : one))

const tokenOf = (family: string, number: number, secret: string): string => `${family}/${number}/${secret}`

function placeOf(token: string): { family: string; number: number } {
  const [family = '', number] = token.split('/')
  return { family, number: Number(number) }
}

function checkEndpoints(endpoints: readonly string[]): void {
  const isUrl = (endpoint: unknown) => typeof endpoint === 'string' && /^https?:\/\/./.test(endpoint)
  if (Array.isArray(endpoints) && endpoints.length > 0 && endpoints.every(isUrl)) return
  refuse(
    'etcdLeases',
    'endpoints',
    endpoints,
    "endpoints must be URLs of etcd's members, such as ['http://127.0.0.1:2379']",
  )
}

function checkTtl({ family, ttlMs }: LeaseRequest): void {
  if (ttlMs <= LONGEST_MS) return
  refuse(family, 'ttlMs', ttlMs, `a lease in etcd lasts ${LONGEST_MS} ms at most, not ${ttlMs}`)
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
function checkClock(family: string, clockOffMs: number | undefined, ttlMs: number): void {
  if (clockOffMs === undefined || clockOffMs <= ttlMs / 4) return
  throw unavailable(
    family,
    `this machine's clock is ${clockOffMs} ms or more from that of etcd, and ${ttlMs / 4} ms are allowed; synchronize ` +
      'both by NTP',
  )
}

const unavailable = (family: string, why: string, cause?: unknown): IdError =>
  new IdError('LEASE_UNAVAILABLE', `${family}: ${why}`, { family, cause })

const crowded = (family: string): IdError =>
  unavailable(family, `conflicts with other writers in ${ATTEMPTS} attempts; try again`)
