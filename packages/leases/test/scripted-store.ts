import type { LeaseGrant, LeaseRefusal, LeaseRequest, LeaseStore, LeaseWindow } from '@snoflax/leases'

type Answer<T> = T | Error | Promise<T>

/** A store that gives the answers in turn, the last one for ever, and writes down what it was asked. */
export class ScriptedStore implements LeaseStore {
  readonly asked: string[] = []
  readonly used: number[] = []
  readonly requests: LeaseRequest[] = []
  acquires: Answer<LeaseGrant | LeaseRefusal>[] = []
  renewals: Answer<LeaseWindow | undefined>[] = []
  /** What happens while a release is asked for. */
  releasing: () => void | Promise<void> = () => {}

  async acquire(request: LeaseRequest): Promise<LeaseGrant | LeaseRefusal> {
    this.asked.push('acquire')
    this.requests.push(request)
    return answer(this.acquires)
  }

  async renew(_token: string, _ttlMs: number, usedUntilMs: number): Promise<LeaseWindow | undefined> {
    this.asked.push('renew')
    this.used.push(usedUntilMs)
    return answer(this.renewals)
  }

  async release(_token: string, usedUntilMs: number): Promise<void> {
    this.asked.push('release')
    this.used.push(usedUntilMs)
    await this.releasing()
  }

  count(call: string): number {
    return this.asked.filter((one) => one === call).length
  }
}

async function answer<T>(script: Answer<T>[]): Promise<T> {
  const next = script.length > 1 ? script.shift() : script[0]
  if (next instanceof Error) throw next
  return next as T
}
