export const DAY_MS = 86_400_000

/** How many days up to today the page links to, and the invented orders fill. */
export const DAYS = 28

/** The day in UTC, such as 2026-11-20. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)
