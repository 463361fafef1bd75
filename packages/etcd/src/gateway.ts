/** The part of `fetch` that we use. Pass your own to add certificates, credentials or a proxy. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'POST'
    readonly headers: Record<string, string>
    readonly body: string
    /** An AbortSignal. */
    readonly signal: never
  },
) => PromiseLike<{
  readonly ok: boolean
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): PromiseLike<string>
}>

export interface GatewayOptions {
  readonly endpoints: readonly string[]
  readonly headers: Record<string, string>
  readonly timeoutMs: number
  readonly fetch: Fetch
}

/** A key and its value, with the revision of its last change, `'0'` if the key does not exist. */
export interface Stored {
  readonly key: string
  readonly value: unknown
  readonly revision: string
}

export interface Read {
  readonly clusterId: string
  /** The keys of each range, in ascending order. */
  readonly ranges: readonly (readonly Stored[])[]
  /**
   * The least difference of this machine's clock from the member's, in milliseconds; undefined without a `Date` header.
   */
  readonly clockOffMs: number | undefined
}

/** The keys from `key` to before `end`; without `end`, only `key`. */
export interface Range {
  readonly key: string
  readonly end?: string
  /** Only so many, and those whose last change is the oldest. */
  readonly oldest?: number
}

interface TxnAnswer {
  readonly header: { readonly cluster_id: string }
  readonly succeeded?: boolean
  readonly responses?: readonly {
    readonly response_range?: {
      readonly count?: string
      readonly kvs?: readonly { key: string; value: string; mod_revision: string }[]
    }
  }[]
}

/** Transactions of etcd's key-value API over JSON, at the first member that answers. */
export class Gateway {
  private preferred = 0

  constructor(private readonly options: GatewayOptions) {}

  /**
   * An error that shows no header, such as a token. Neither does it have the original as its cause: errors of a `fetch`
   * may have the whole request.
   */
  private failure(error: unknown): Error {
    const values = Object.values(this.options.headers).map(String)
    const secrets = values.flatMap((value) => [value, ...value.split(/\s+/)]).filter((one) => one.length > 3)
    const shown = secrets
      .sort((a, b) => b.length - a.length)
      .reduce((text, secret) => text.replaceAll(secret, '…'), reason(error))
    return new Error(shown.replaceAll(/\/\/[^/?#\s]*@/g, '//'))
  }

  /** Reads all ranges at one revision, linearizably. */
  async read(ranges: readonly Range[]): Promise<Read> {
    const began = Date.now()
    const { answer, date } = await this.txn({
      success: ranges.map(({ oldest, ...range }) => ({
        request_range: {
          ...keysOf(range),
          ...(oldest === undefined ? {} : { limit: oldest, sort_target: 'MOD', sort_order: 'ASCEND' }),
        },
      })),
    })
    return {
      clusterId: answer.header.cluster_id,
      ranges: ranges.map((_, i) =>
        (answer.responses?.[i]?.response_range?.kvs ?? []).map(({ key, value, mod_revision: revision }) => ({
          key: decoded(key),
          value: JSON.parse(decoded(value)),
          revision,
        })),
      ),
      clockOffMs: date === null ? undefined : offMs(began, Date.parse(date), Date.now()),
    }
  }

  /** How many keys each range has. */
  async count(ranges: readonly Range[]): Promise<number[]> {
    const { answer } = await this.txn({
      success: ranges.map((range) => ({ request_range: { ...keysOf(range), count_only: true } })),
    })
    return ranges.map((_, i) => Number(answer.responses?.[i]?.response_range?.count ?? 0))
  }

  /** Writes a key if none of the keys that were read has changed since; returns false if one has. */
  async write(key: string, value: unknown, unchanged: readonly Omit<Stored, 'value'>[]): Promise<boolean> {
    const { answer } = await this.txn({
      compare: unchanged.map(({ key, revision }) => ({
        key: encoded(key),
        target: 'MOD',
        result: 'EQUAL',
        mod_revision: revision,
      })),
      success: [{ request_put: { key: encoded(key), value: encoded(JSON.stringify(value)) } }],
    })
    return answer.succeeded === true
  }

  private async txn(body: object): Promise<{ answer: TxnAnswer; date: string | null }> {
    const { endpoints, headers, timeoutMs, fetch } = this.options
    const failures: Error[] = []
    for (let i = 0; i < endpoints.length; i++) {
      const at = (this.preferred + i) % endpoints.length
      const endpoint = endpoints[at] as string
      try {
        const response = await fetch(`${endpoint.replace(/\/$/, '')}/v3/kv/txn`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(timeoutMs) as never,
        })
        const text = await response.text()
        if (response.ok) {
          this.preferred = at
          return { answer: JSON.parse(text), date: response.headers.get('date') }
        }
        const answered = `${endpoint} answered ${response.status}: ${text.slice(0, 300)}`
        const refusal = this.failure(new Error(answered))
        // All members refuse a malformed request; 5xx may be of this member alone, such as without a leader.
        if (response.status < 500) return Promise.reject(refusal)
        failures.push(refusal)
      } catch (error) {
        failures.push(this.failure(error))
      }
    }
    throw new AggregateError(
      failures,
      `no member of etcd answered: ${failures.map(({ message }) => message).join('; ')}`,
    )
  }
}

const keysOf = ({ key, end }: Range): object => ({
  key: encoded(key),
  ...(end === undefined ? {} : { range_end: encoded(end) }),
})

/** The difference of the clocks. The header has whole seconds. */
function offMs(began: number, date: number, ended: number): number {
  return Math.max(began - (date + 1000), date - ended, 0)
}

const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

const encoded = (text: string): string => Buffer.from(text).toString('base64')
const decoded = (text: string): string => Buffer.from(text, 'base64').toString()
