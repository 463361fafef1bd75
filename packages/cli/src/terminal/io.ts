/** Where a run reads and writes: the process, or what a test gives. */
export interface Io {
  /** Where ids are read, one a line, if no argument gives them. A terminal is refused. */
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean }
  /** Results. */
  readonly stdout: Output
  /** Complaints and notes. */
  readonly stderr: Output
  /** Environment: `NO_COLOR` and the like. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Somewhere to write, such as a stream of Node. */
export interface Output {
  /** Whether people read it: colour is for them. */
  readonly isTTY?: boolean
  /** False if the writer should wait for `drain`. */
  write(text: string): boolean
  /** Tells when it may be written again. */
  once?(event: 'drain', listener: () => void): unknown
}

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})
