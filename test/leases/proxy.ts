import { connect, createServer, type Socket } from 'node:net'
import { checkOptions } from '@snoflax/core/adapter'

/** Where a server listens. */
export interface Address {
  /** Name or IP address. */
  readonly host: string
  /** Its TCP port. */
  readonly port: number
}

/** Faults of a proxy. */
export interface FaultOptions {
  /** The probability of each kind of fault, for each piece of data. Default 0.01. */
  readonly trouble?: number
  /** How long a connection stalls at most, in milliseconds. Default 1000. */
  readonly stallMs?: number
}

/** How often each fault happened. */
export interface FaultCounts {
  /** Data that arrived late. */
  readonly stalls: number
  /** Requests and answers of which half arrived, before the connection ended. */
  readonly halves: number
  /** Answers that did not arrive, of requests that did. */
  readonly lostAnswers: number
}

/** A proxy with faults in front of a server. */
export interface FaultyProxy {
  /** The proxy's address, to connect to. */
  readonly address: Address
  /** The faults so far. */
  readonly counts: FaultCounts
  /** Forwards nothing from now on and closes no connection, as if a cable were cut. */
  cut(): void
  /** Closes the connections that hang since {@link cut} and forwards new ones. */
  mend(): void
  /** Causes no faults from now on. */
  calm(): void
  /** Ends all connections. */
  close(): Promise<void>
}

/**
 * Listens on this machine and forwards TCP connections to a server, whatever its protocol, with delays, half requests
 * and answers, and lost answers.
 *
 * @example
 * const proxy = await startProxy({ host: '127.0.0.1', port: 5432 }, { trouble: 0.05 })
 * console.log(proxy.address.host, proxy.counts.stalls) // 127.0.0.1 0
 * await proxy.close()
 */
export async function startProxy(target: Address, options: FaultOptions = {}): Promise<FaultyProxy> {
  checkOptions('startProxy', options, { trouble: 'number', stallMs: 'number' })
  const { trouble = 0.01, stallMs = 1000 } = options
  const counts = { stalls: 0, halves: 0, lostAnswers: 0 }
  const sockets = new Set<Socket>()
  let isCut = false
  let chance = trouble

  const pass = (from: Socket, to: Socket, isAnswer: boolean): void => {
    from.on('data', (data) => {
      if (isCut) return
      const kind = Math.floor(Math.random() / chance)
      if (kind === 0) {
        counts.stalls++
        from.pause()
        setTimeout(() => {
          if (!isCut) to.write(data)
          from.resume()
        }, Math.random() * stallMs)
      } else if (kind === 1) {
        counts.halves++
        to.end(data.subarray(0, data.length / 2))
        from.destroy()
      } else if (kind === 2 && isAnswer) {
        counts.lostAnswers++
        to.destroy()
        from.destroy()
      } else {
        to.write(data)
      }
    })
  }

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('end', () => {
        if (!isCut) other.end()
      })
      one.on('close', () => {
        sockets.delete(one)
        if (!isCut) other.destroy()
      })
    }
    pass(client, upstream, false)
    pass(upstream, client, true)
  })
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  return {
    address: { host: '127.0.0.1', port },
    counts,
    cut: () => {
      isCut = true
    },
    mend: () => {
      isCut = false
      endAll()
    },
    calm: () => {
      chance = 0
    },
    close: () => {
      endAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
