import { randomUUID } from 'node:crypto'
import { checkInteger, checkOptions, refuse } from '@snoflax/core/adapter'
import type {
  LeasableFamily,
  LeaseGrant,
  LeaseNumbers,
  LeaseRefusal,
  LeaseRequest,
  LeaseStore,
} from '@snoflax/leases'
import { checkClock, FamilyKeys, type Found, type Shard, unavailable } from './family-keys.js'
import { type Fetch, Gateway } from './gateway.js'

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
export function etcdLeases(passed: EtcdOptions): EtcdLeases {
  if (typeof passed !== 'object' || passed === null)
    refuse('etcdLeases', 'options', undefined, 'pass { endpoints }')
  // Names alone: an error would show a password that was passed under another name.
  const kinds = { endpoints: 'any', prefix: 'any', headers: 'any', timeoutMs: 'any', fetch: 'any' } as const
  checkOptions('etcdLeases', Object.fromEntries(Object.keys(passed).map((name) => [name, null])), kinds)
  const options = checkOptions('etcdLeases', passed, { ...kinds, timeoutMs: 'number', fetch: 'function' })
  const { endpoints, prefix = 'snoflax/leases/', headers = {}, timeoutMs = 2000 } = options
  checkEndpoints(endpoints)
  checkInteger('etcdLeases', 'timeoutMs', timeoutMs, 1, LONGEST_MS)
  const gateway = new Gateway({
    endpoints,
    headers,
    timeoutMs,
    fetch: options.fetch ?? (fetch as unknown as Fetch),
  })

  const keysOf = (family: string) => new FamilyKeys(gateway, prefix, family)

  return {
    acquire: (request) => acquire(keysOf(request.family), request),
    async renew(token, ttlMs) {
      const { family, number } = placeOf(token)
      const shard = await replace(keysOf(family), number, token, ttlMs, (shard, nowMs) => ({
        ...shard,
        reservedMs: Math.max(shard.reservedMs, nowMs + ttlMs),
        expiresMs: nowMs + ttlMs,
      }))
      return shard && { startMs: shard.startMs, untilMs: shard.reservedMs }
    },
    async release(token, usedUntilMs) {
      const { family, number } = placeOf(token)
      // However far the clock is off: a release reserves nothing.
      await replace(keysOf(family), number, token, Infinity, (shard) => ({
        ...shard,
        token: null,
        reservedMs: Math.min(shard.reservedMs, Math.max(shard.startMs, Math.ceil(usedUntilMs))),
      }))
    },
    begin: ({ name }) => writeRecord(keysOf(name), true),
    adopt: ({ name }) => writeRecord(keysOf(name), false),
  }
}

async function acquire(keys: FamilyKeys, request: LeaseRequest): Promise<LeaseGrant | LeaseRefusal> {
  const { family, epochMs, numbers, shards, ttlMs, holder } = request
  checkTtl(request)
  const secret = randomUUID({ disableEntropyCache: true })
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const few = await unused(keys, numbers, attempt)
    const range = few ? keys.rangeOf(few) : { ...keys.rangeOf(numbers), oldest: AT_ONCE }
    let found = await keys.readToGive(ttlMs, range)
    let { free, retryMs } = freeIn(request, found, few)
    if (free.length === 0 && few === undefined) {
      found = await keys.readToGive(ttlMs, keys.rangeOf(numbers))
      ;({ free, retryMs } = freeIn(request, found))
    }
    if (free.length === 0) {
      const isFloorAhead = found.floorMs - ttlMs >= Date.now()
      if (few === undefined || few === numbers || isFloorAhead) return { retryMs }
      continue
    }
    const { number, at, reservedMs } = oneOf(free, attempt)
    const before = found.numbers.get(number)?.value?.shards ?? Array<null>(shards).fill(null)
    const token = `${family}/${number}/${secret}`
    const nowMs = Date.now()
    const lease: Shard = {
      adoption: found.adoption,
      token,
      holder,
      // If the number was unused for a while, holders whose clocks are behind can start at once.
      startMs: Math.max(reservedMs, nowMs - ttlMs),
      reservedMs: nowMs + ttlMs,
      expiresMs: nowMs + ttlMs,
    }
    const isGranted =
      (await keys.writeNumber(number, { epochMs, shards: placed(before, at, lease) }, found)) ||
      (await isWritten(keys, number, at, token))
    if (isGranted) return { token, number, shard: at, startMs: lease.startMs, untilMs: lease.reservedMs }
  }
  throw crowded(family)
}

/** Changes the shard that has the token; undefined if none has it. */
async function replace(
  keys: FamilyKeys,
  number: number,
  token: string,
  ttlMs: number,
  next: (shard: Shard, nowMs: number) => Shard,
): Promise<Shard | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await keys.readToGive(ttlMs, { key: keys.keyOf(number) })
    const value = found.numbers.get(number)?.value
    const at = value?.shards.findIndex((one) => one?.token === token && one.adoption === found.adoption) ?? -1
    const shard = value?.shards[at]
    if (value === undefined || shard == null) return undefined
    const changed = next(shard, Date.now())
    if (await keys.writeNumber(number, { ...value, shards: placed(value.shards, at, changed) }, found))
      return changed
  }
  throw crowded(keys.family)
}

async function writeRecord(keys: FamilyKeys, isFirst: boolean): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { clusterId, clockOffMs, record } = await keys.read()
    if (isFirst && record.value !== undefined) return
    checkClock(keys.family, clockOffMs, LONGEST_MS)
    const floorMs = Date.now() + (isFirst ? 0 : ADOPTED_AFTER_MS)
    if (await keys.writeRecord({ cluster: clusterId, adoption: randomUUID(), floorMs }, record)) return
  }
  throw crowded(keys.family)
}

/** Whether a write whose answer was lost has succeeded. */
async function isWritten(keys: FamilyKeys, number: number, at: number, token: string): Promise<boolean> {
  const { numbers } = await keys.read({ key: keys.keyOf(number) })
  return numbers[0]?.value?.shards[at]?.token === token
}

/** A few of the numbers, of which one at least was never leased; undefined if all were. All, if they are few. */
async function unused(
  keys: FamilyKeys,
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
    const counts = await keys.counts(parts)
    const open = parts.filter((part, i) => (counts[i] as number) <= part.max - part.min)
    if (open.length === 0) return undefined
    found = oneOf(open, attempt)
  }
  return found
}

/** A shard that is free. */
interface Place {
  readonly number: number
  readonly at: number
  readonly reservedMs: number
}

/**
 * The shards that are free, the longest unused first, and when the next one may be: of some numbers, or of those that were
 * found.
 */
function freeIn(
  { epochMs, shards, ttlMs }: LeaseRequest,
  found: Found,
  some?: LeaseNumbers,
): { free: Place[]; retryMs: number | undefined } {
  const nowMs = Date.now()
  const numbers = some
    ? Array.from({ length: some.max - some.min + 1 }, (_, i) => some.min + i)
    : found.numbers.keys()
  const free: Place[] = []
  let retryMs: number | undefined
  for (const number of numbers) {
    const value = found.numbers.get(number)?.value
    if (value !== undefined && (value.epochMs !== epochMs || value.shards.length !== shards)) continue
    for (let at = 0; at < shards; at++) {
      const shard = value?.shards[at]
      const isLeased = shard != null && shard.token !== null && shard.adoption === found.adoption
      const reservedMs = Math.max(shard?.reservedMs ?? 0, found.floorMs)
      const freeMs = Math.max(isLeased ? shard.expiresMs : 0, reservedMs - ttlMs + 1)
      if (freeMs <= nowMs) free.push({ number, at, reservedMs })
      else retryMs = Math.min(retryMs ?? Infinity, freeMs - nowMs)
    }
  }
  free.sort((a, b) => a.reservedMs - b.reservedMs || a.number - b.number || a.at - b.at)
  return { free, retryMs }
}

/** The first one, but any after conflicts, so that processes that ask together spread out. */
const oneOf = <Choice>(choices: readonly Choice[], attempt: number): Choice =>
  choices[Math.floor(Math.random() * Math.min(choices.length, attempt ** 2))] as Choice

const placed = (shards: readonly (Shard | null)[], at: number, shard: Shard): readonly (Shard | null)[] =>
  shards.map((one, i) => (i === at ? shard : one))

/** The family and the number of a token: `sno/7/…`. */
function placeOf(token: string): { family: string; number: number } {
  const [family = '', number] = token.split('/')
  return { family, number: Number(number) }
}

/** Its errors don't have the value, which may contain a password. */
function checkEndpoints(endpoints: readonly string[]): void {
  const isUrl = (endpoint: unknown) => typeof endpoint === 'string' && /^https?:\/\/./.test(endpoint)
  const refuseThem: (reason: string) => never = (reason) =>
    refuse('etcdLeases', 'endpoints', undefined, `endpoints must be ${reason}`)
  if (!Array.isArray(endpoints) || endpoints.length === 0 || !endpoints.every(isUrl))
    refuseThem("URLs of etcd's members, such as ['http://127.0.0.1:2379']")
  if (endpoints.some((endpoint) => /^[^/]*\/\/[^/?#]*@/.test(endpoint)))
    refuseThem('URLs without user and password; pass headers: { authorization: … }')
}

function checkTtl({ family, ttlMs }: LeaseRequest): void {
  if (ttlMs <= LONGEST_MS) return
  refuse(family, 'ttlMs', ttlMs, `a lease in etcd lasts ${LONGEST_MS} ms at most, not ${ttlMs}`)
}

const crowded = (family: string) =>
  unavailable(family, `conflicts with other writers in ${ATTEMPTS} attempts; try again`)
