/** Unix milliseconds, also with a fraction, as exact microseconds. */
export function microseconds(ms: number): bigint {
  const whole = Math.floor(ms)
  return BigInt(whole) * 1000n + BigInt(Math.round((ms - whole) * 1000))
}

/** A literal of timestamptz for Unix microseconds, or for an infinity. */
export function timestamptz(us: bigint | number): string {
  if (typeof us === 'number') return us > 0 ? 'infinity' : '-infinity'
  const fraction = ((us % 1_000_000n) + 1_000_000n) % 1_000_000n
  const date = new Date(Number((us - fraction) / 1000n))
  const year = date.getUTCFullYear()
  const [, rest] = date.toISOString().split(/^[+-]?\d+/) as [string, string]
  const shown = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return `${shown}${rest.slice(0, -5)}.${String(fraction).padStart(6, '0')}Z${year > 0 ? '' : ' BC'}`
}

/** Unix microseconds of a timestamptz, exact. */
export const usOf = (expression: string): string => `(extract(epoch FROM ${expression}) * 1000000)::bigint`
