/** What we use of `fetch`: the program's own, or one that adds certificates, credentials or a proxy. */
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

/** A key and its value, with the revision of its last change, `'0'` where there is none. */
export interface Stored {
  readonly key: string
  readonly value: unknown
  readonly revision: string
}

export interface Read {
  readonly clusterId: string
  /** What each range has, in the order of its keys. */
  readonly ranges: readonly (readonly Stored[])[]
  /** How far this machine's clock is from the member's, at least, in milliseconds; undefined if it sends no date. */
  readonly clockOffMs: number | undefined
}

/** From `key` until before `end`; the key alone without one. */
export interface Range {
  readonly key: string
  readonly end?: string
}

interface TxnAnswer {
  readonly header: { readonly cluster_id: string }
  readonly succeeded?: boolean
  readonly responses?: readonly {
    readonly response_range?: {
      readonly kvs?: readonly { key: string; value: string; mod_revision: string }[]
    }
  }[]
}

/** etcd's key-value API as JSON: transactions, at the first member that answers. */
export class Gateway {
  private preferred = 0

  constructor(private readonly options: GatewayOptions) {}

  /** Reads all ranges at one revision that a majority of the members agrees on. */
  async read(ranges: readonly Range[]): Promise<Read> {
    const began = Date.now()
    const { answer, date } = await this.txn({
      success: ranges.map(({ key, end }) => ({
        request_range: { key: encoded(key), ...(end === undefined ? {} : { range_end: encoded(end) }) },
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

  /** Writes a key if nothing that was read has changed since. False if something has. */
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
    const failures: unknown[] = []
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
        const refusal = new Error(`${endpoint} answered ${response.status}: ${text.slice(0, 300)}`)
        // What one member refuses, all refuse; without a leader one fails that others may not.
        if (response.status < 500) return Promise.reject(refusal)
        failures.push(refusal)
      } catch (error) {
        failures.push(error)
      }
    }
    throw new AggregateError(failures, `no member of etcd answered: ${failures.map(reason).join('; ')}`)
  }
}

/** The header tells whole seconds. */
function offMs(began: number, date: number, ended: number): number {
  return Math.max(began - (date + 1000), date - ended, 0)
}

const reason = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

const encoded = (text: string): string => Buffer.from(text).toString('base64')
const decoded = (text: string): string => Buffer.from(text, 'base64').toString()
