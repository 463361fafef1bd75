// Opens the page in headless Chromium, and writes the first line of its console. Without a Chromium, the page's script
// runs in a bare context.
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { preview } from 'vite'

const chromium = process.env['SNOFLAX_CHROMIUM'] || 'chromium'
if (spawnSync(chromium, ['--version']).error) {
  const [script] = readdirSync('dist/assets')
  spawnSync(process.execPath, ['bare.mjs', `dist/assets/${script}`], { stdio: 'inherit' })
} else {
  const server = await preview({ preview: { host: '127.0.0.1', port: 0 } })
  const flags = ['--headless', '--no-sandbox', '--enable-logging=stderr']
  const page = spawn(chromium, [...flags, server.resolvedUrls.local[0]], { timeout: 120_000 })
  for await (const line of createInterface(page.stderr)) {
    if (!line.includes('CONSOLE')) continue
    console.log(line)
    break
  }
  page.kill()
  await server.close()
}
