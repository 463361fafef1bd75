import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, extname, join, normalize } from 'node:path'
import { build } from './build.js'

/** @type {Readonly<Record<string, string>>} */
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' }

/**
 * Serves the page on this machine. Browsers load no modules from files, so a page of modules needs a server;
 * any other one works as well.
 *
 * @param {number} port 0 for any free port
 */
export async function serve(port = 0) {
  const folder = await build()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = join(folder, normalize(pathname === '/' ? '/index.html' : pathname))
    readFile(file).then(
      (content) => response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? '' }).end(content),
      () => response.writeHead(404).end(),
    )
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => new Promise((done) => server.close(done))
  return { url: `http://127.0.0.1:${address.port}/`, close }
}

if (basename(process.argv[1] ?? '') === 'serve.js') {
  console.log(`The inspector is at ${(await serve(Number(process.env['PORT'] ?? 8080))).url}`)
}
