const shown = (count: number): string => Math.round(count).toLocaleString('en')

/** How far a long piece of work is: `2,000 of 10,000 ids, 20 %, 900 a second, 9 s left`. */
export class Pace {
  readonly #beganMs = performance.now()
  #before: number | undefined

  /** @param what is counted, such as `ids` */
  constructor(readonly what: string) {}

  /** The total may be an estimate. */
  after(done: number, total: number): string {
    this.#before ??= done
    const all = Math.max(done, total)
    const parts = [`${shown(done)} of ${shown(all)} ${this.what}`]
    if (all > 0) parts.push(`${Math.floor((100 * done) / all)} %`)
    const seconds = (performance.now() - this.#beganMs) / 1000
    const rate = (done - this.#before) / seconds
    if (rate >= 1) parts.push(`${shown(rate)} a second`)
    if (rate >= 1 && done < all) parts.push(`${duration((all - done) / rate)} left`)
    return parts.join(', ')
  }
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
