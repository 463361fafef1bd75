/** 1707 as 1,707. */
export const grouped = (value: number | bigint): string => value.toLocaleString('en-US')

/** Megabytes, of a million bytes. */
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2)

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** 2018-02-06 15:50:42.400, in UTC. */
export const moment = (timeMs: number): string =>
  new Date(timeMs).toISOString().slice(0, -1).replace('T', ' ')
