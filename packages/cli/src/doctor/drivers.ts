import { UsageError } from '../exit.js'

/** Imports a driver that is the user's to install. @throws {UsageError} if it is not there. */
export async function driver<Module>(load: () => Promise<Module>, name: string): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UsageError(
      `the driver ${name} is not installed; install it beside snoflax: npm install ${name}`,
    )
  }
}

/** Connects. @throws {UsageError} that names the server, without the password. */
export async function reach<Result>(url: string, connect: () => Promise<Result>): Promise<Result> {
  try {
    return await connect()
  } catch (error) {
    throw new UsageError(`${withoutPassword(url)} can't be reached: ${reason(error)}`)
  }
}

/** Several addresses that refuse are an AggregateError without a message. */
function reason(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || String(error)
}

export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):.*@/i, '$1@').replace(/([?&]password=)[^&]*/i, '$1…')
}

/** What the database said no to, or a connection that broke; not an error of this program. */
export function isDatabaseError(error: unknown): error is Error {
  const { code, sqlState } = error as { code?: unknown; sqlState?: unknown }
  return (
    sqlState !== undefined || (typeof code === 'string' && /^(?:[0-9A-Z]{5}$|SQLITE_|E[A-Z]+$)/.test(code))
  )
}
