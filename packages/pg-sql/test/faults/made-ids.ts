import { expect } from 'vitest'

interface Call {
  readonly start: number
  readonly end: number
  readonly first: string
  readonly last: string
}

/** Ids that were made, and what must hold for them. */
export class MadeIds {
  private readonly seen = new Set<string>()
  private readonly repeats: string[] = []
  private readonly calls: Call[] = []

  get count(): number {
    return this.seen.size
  }

  /** The ids of one call, in their order. */
  add(ids: readonly string[], start = performance.now(), end = performance.now()): void {
    const disorder = ids.find((id, i) => i > 0 && id <= (ids[i - 1] as string))
    expect(disorder).toBeUndefined()
    for (const id of ids) {
      if (this.seen.has(id)) this.repeats.push(id)
      this.seen.add(id)
    }
    if (ids.length > 0) this.calls.push({ start, end, first: ids[0] as string, last: ids.at(-1) as string })
  }

  /** Runs a query that gives ids, and adds them. */
  async addFrom(query: () => PromiseLike<{ rows: Record<string, unknown>[] }>): Promise<void> {
    const start = performance.now()
    const { rows } = await query()
    this.add(
      rows.map(({ id }) => id as string),
      start,
    )
  }

  expectNoRepeat(): void {
    expect(this.repeats).toEqual([])
  }

  /** A call that starts after another returned gives larger ids only. */
  expectOrder(): void {
    const byEnd = [...this.calls].sort((a, b) => a.end - b.end)
    let returned = 0
    let largest = ''
    for (const call of [...this.calls].sort((a, b) => a.start - b.start)) {
      for (; (byEnd[returned] as Call).end < call.start; returned++) {
        const { last } = byEnd[returned] as Call
        if (last > largest) largest = last
      }
      if (call.first <= largest) expect.fail(`${call.first} was made after ${largest}`)
    }
  }
}
