// Opens the page in headless Chromium, and writes what its console says. Without a Chromium, the page's script runs in
// a bare context.
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { preview } from 'vite'

const chromium = process.env['SNOFLAX_CHROMIUM'] || 'chromium'
if (spawnSync(chromium, ['--version']).error) {
  const [script] = readdirSync('dist/assets')
  spawnSync(process.execPath, ['bare.mjs', `dist/assets/${script}`], { stdio: 'inherit' })
} else {
  const server = await preview({ preview: { host: '127.0.0.1', port: 0 } })
  const flags = ['--headless', '--no-sandbox', '--enable-logging=stderr', '--virtual-time-budget=20000', '--dump-dom']
  const { stderr } = await promisify(execFile)(chromium, [...flags, server.resolvedUrls.local[0]])
  console.log(stderr.split('\n').filter((line) => line.includes('CONSOLE')).join('\n'))
  await server.close()
}
