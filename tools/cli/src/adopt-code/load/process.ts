import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { BIN } from '../../bin.js'
import { UsageError } from '../../exit.js'
import { ANSWER } from './child.js'
import type { Facts, Request } from './facts.js'

/** The hidden command by which this process starts another one. */
export const LOAD = 'load-application'

const TIMEOUT_MS = 120_000

/**
 * What an ORM knows of an application, which is loaded in a process of its own.
 *
 * @param texts texts instead of those of files, by path.
 * @throws {UsageError} if that process ends without an answer
 */
export function loadFacts(
  orm: Request['orm'],
  files: readonly string[],
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<Facts> {
  const whole = files.map((file) => resolve(file))
  const request: Request = {
    orm,
    files: whole,
    typescript: pathOf('typescript', whole[0] as string),
    texts: [...texts].map(([file, text]) => [resolve(file), text]),
  }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', BIN, 'adopt', LOAD], {
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  const [answer, errors]: [string[], string[]] = [[], []]
  const read = (stream: Readable, into: string[]) =>
    stream.setEncoding('utf8').on('data', (text: string) => void into.push(text))
  read(child.stdio[ANSWER] as Readable, answer)
  read(child.stderr as Readable, errors)
  child.stdin?.on('error', () => {})
  child.stdin?.end(JSON.stringify(request))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code, signal) => {
      if (code === 0 && answer.length > 0) return done(JSON.parse(answer.join('')) as Facts)
      const how = signal
        ? `was ended after ${TIMEOUT_MS / 1000} s`
        : `ended with ${code} before it was loaded`
      const said = errors.join('').trim().split('\n').slice(-3).join(' ')
      fail(new UsageError(`loading ${files.join(', ')}: the process ${how}${said ? `: ${said}` : ''}`))
    })
  })
}

/** Where a package is: that of the application, else the one beside this command. @throws {UsageError} */
export function pathOf(name: string, file: string, module = name): string {
  for (const from of [resolve(file), import.meta.url]) {
    try {
      return createRequire(from).resolve(module)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new UsageError(
    `${file} is read by ${name}, which is not installed; install it: npm install --save-dev ${name}`,
  )
}
