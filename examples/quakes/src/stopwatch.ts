/** How long each step took. Repetitions of a step add up. */
export class Stopwatch {
  private readonly steps = new Map<string, number>()
  private readonly startedMs = performance.now()

  async measure<T>(step: string, run: () => T | Promise<T>): Promise<T> {
    const startMs = performance.now()
    const result = await run()
    this.steps.set(step, (this.steps.get(step) ?? 0) + performance.now() - startMs)
    return result
  }

  get laps(): { readonly step: string; readonly ms: number }[] {
    return [...this.steps].map(([step, ms]) => ({ step, ms }))
  }

  get totalMs(): number {
    return performance.now() - this.startedMs
  }
}
