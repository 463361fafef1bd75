import { randomUUID } from 'node:crypto'
import { IdError } from '@snoflax/core'
import { checkInteger, checkOptions } from '@snoflax/core/adapter'
import type { LeasableFamily, LeaseRequest, LeaseStore } from '@snoflax/core/leases'
import { type Fetch, Gateway, type Stored } from './gateway.js'

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
    `${recordOf(family)}/${String(number).padStart(10, '0')}`

  /** The gateway's answer, or an error that names the family. */
  const answered = <Answer>(family: string, answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((cause: Error) => {
      throw unavailable(family, cause.message, cause)
    })

  async function read(family: string, from: number, until: number) {
    const ranges = [{ key: recordOf(family) }, { key: keyOf(family, from), end: keyOf(family, until) }]
    const { clusterId, ranges: found, clockOffMs } = await answered(family, gateway.read(ranges))
    const record = found[0]?.[0] ?? { key: recordOf(family), value: undefined, revision: '0' }
    return { clusterId, clockOffMs, record, numbers: found[1] ?? [] }
  }

  /** The numbers and the family's record, with the revisions that a write compares. */
  async function readToGive(family: string, from: number, until: number, ttlMs: number) {
    const { clusterId, clockOffMs, record, numbers } = await read(family, from, until)
    const { adoption, floorMs } = checkRecord(family, record, clusterId)
    checkClock(family, clockOffMs, ttlMs)
    return { adoption, floorMs, record, numbers: new Map(numbers.map((one) => [one.key, one])) }
  }

  const write = (
    family: string,
    key: string,
    value: unknown,
    ...unchanged: readonly Omit<Stored, 'value'>[]
  ) => answered(family, gateway.write(key, value, unchanged))

  async function writeRecord(family: string, isFirst: boolean): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { clusterId, clockOffMs, record } = await read(family, 0, 0)
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
      const { adoption, record, numbers } = await readToGive(family, number, number + 1, ttlMs ?? Infinity)
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
        const found = await readToGive(family, numbers.min, numbers.max + 1, ttlMs)
        const nowMs = Date.now()
        const free: { number: number; at: number; reservedMs: number }[] = []
        let retryMs: number | undefined
        for (let number = numbers.min; number <= numbers.max; number++) {
          const value = found.numbers.get(keyOf(family, number))?.value as NumberRecord | undefined
          if (value !== undefined && (value.epochMs !== epochMs || value.shards.length !== shards)) continue
          for (let at = 0; at < shards; at++) {
            const shard = value?.shards[at]
            const token = tokenOf(family, number, secret)
            // Written by an attempt whose answer was lost.
            if (shard?.token === token) {
              return { token, number, shard: at, startMs: shard.startMs, untilMs: shard.reservedMs }
            }
            const isHeld = shard != null && shard.token !== null && shard.adoption === found.adoption
            const reservedMs = Math.max(shard?.reservedMs ?? 0, found.floorMs)
            const freeMs = Math.max(isHeld ? shard.expiresMs : 0, reservedMs - ttlMs + 1)
            if (freeMs <= nowMs) free.push({ number, at, reservedMs })
            else retryMs = Math.min(retryMs ?? Infinity, freeMs - nowMs)
          }
        }
        if (free.length === 0) return { retryMs }
        free.sort((a, b) => a.reservedMs - b.reservedMs || a.number - b.number || a.at - b.at)
        // After a conflict, choose at random, so that processes that ask together spread out.
        const chosen = free[
          Math.floor(Math.random() * Math.min(free.length, attempt ** 2))
        ] as (typeof free)[0]
        const { number, at } = chosen
        const key = keyOf(family, number)
        const stored = found.numbers.get(key) ?? { key, value: undefined, revision: '0' }
        const before = (stored.value as NumberRecord | undefined)?.shards ?? Array<null>(shards).fill(null)
        const given: Shard = {
          adoption: found.adoption,
          token: tokenOf(family, number, secret),
          holder,
          // If the number was unused for a while, holders whose clocks are behind can start at once.
          startMs: Math.max(chosen.reservedMs, nowMs - ttlMs),
          reservedMs: nowMs + ttlMs,
          expiresMs: nowMs + ttlMs,
        }
        const value: NumberRecord = { epochMs, shards: placed(before, at, given) }
        if (await write(family, key, value, stored, found.record)) {
          return {
            token: given.token as string,
            number,
            shard: at,
            startMs: given.startMs,
            untilMs: given.reservedMs,
          }
        }
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
  throw new IdError(
    'INVALID_OPTION',
    "etcdLeases: endpoints must be URLs of etcd's members, such as ['http://127.0.0.1:2379']",
    { field: 'endpoints', value: endpoints },
  )
}

function checkTtl({ family, ttlMs }: LeaseRequest): void {
  if (ttlMs <= LONGEST_MS) return
  throw new IdError(
    'INVALID_OPTION',
    `${family}: a lease in etcd lasts ${LONGEST_MS} ms at most, not ${ttlMs}`,
    { family, field: 'ttlMs', value: ttlMs },
  )
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
