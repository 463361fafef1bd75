import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below what systems hand to outgoing connections: there a client that keeps trying a server that is down can be
// given the server's own port, meet itself, and so keep the server from ever starting again.
const [LOWEST, HIGHEST] = [20_000, 32_000]

/** A port of this machine that was free just now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
  throw new Error(`found no free port from ${LOWEST} to ${HIGHEST}`)
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
