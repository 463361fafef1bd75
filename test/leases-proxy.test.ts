import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProxy } from './leases/proxy.js'

let server: Server
let received: string[]
let target: { host: string; port: number }
beforeEach(async () => {
  received = []
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received.push(String(data))
      socket.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  target = { host: '127.0.0.1', port: (server.address() as { port: number }).port }
})
afterEach(() => server.close())

/** What comes back until the connection ends, or is as long as what was sent. */
async function echoed(port: number, text: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(text)
  let answer = ''
  socket.on('data', (data) => {
    answer += data
    if (answer.length === text.length) socket.end()
  })
  await once(socket, 'close')
  return answer
}

test('without trouble everything passes', async () => {
  const proxy = await startProxy(target, { trouble: 0 })
  expect(await echoed(proxy.address.port, 'one request')).toBe('one request')
  expect(proxy.counts).toEqual({ stalls: 0, halves: 0, lostAnswers: 0 })
  await proxy.close()
})

test('with trouble, requests and answers are late, halved or lost; after calm() they pass again', async () => {
  const proxy = await startProxy(target, { trouble: 0.3, stallMs: 5 })
  const answers = new Set<string>()
  const kinds = () => Math.min(proxy.counts.stalls, proxy.counts.halves, proxy.counts.lostAnswers)
  // Until each has happened: of requests, half of one has arrived.
  while (kinds() === 0 || answers.size < 3 || !received.includes('requ')) {
    answers.add(await echoed(proxy.address.port, 'request!'))
  }
  expect([...answers].sort()).toEqual(['', 'requ', 'request!'])
  proxy.calm()
  expect(await echoed(proxy.address.port, 'request!')).toBe('request!')
  await proxy.close()
})

test('after cut() nothing passes and connections hang; after mend() new ones pass', async () => {
  const proxy = await startProxy(target, { trouble: 0 })
  proxy.cut()
  const hanging = echoed(proxy.address.port, 'into the dark')
  // A connection that is made through another proxy, so that time has passed here too.
  const other = await startProxy(target, { trouble: 0 })
  await echoed(other.address.port, 'in the light')
  expect(received).toEqual(['in the light'])
  proxy.mend()
  expect(await hanging).toBe('')
  expect(await echoed(proxy.address.port, 'again')).toBe('again')
  await proxy.close()
  await other.close()
})
