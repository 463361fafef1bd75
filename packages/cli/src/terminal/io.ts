/** Where a run reads and writes: the process, or what a test gives. */
export interface Io {
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Output {
  readonly isTTY?: boolean
  /** False if the writer should wait for `drain`. */
  write(text: string): boolean
  once?(event: 'drain', listener: () => void): unknown
}

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})
