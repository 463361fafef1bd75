import { fileURLToPath } from 'node:url'
import { sno } from '@snoflax/core'
import { chromium } from 'playwright-core'
import { findChromium } from './chromium.js'
import { serve } from './serve.js'

// The picture in the README: docs/inspector.png.

const PICTURE = fileURLToPath(new URL('../../../docs/inspector.png', import.meta.url))
const NOW_MS = Date.UTC(2026, 10, 21, 15, 10)
const SHOWN = sno.pack({ timeMs: NOW_MS - 90_061_000, tickTock: 0, meta: 7, partition: 1291, sequence: 512 })

const executablePath = await findChromium()
if (!executablePath) throw new Error('There is no chromium in PATH; SNOFLAX_CHROMIUM can name one')
const page = await serve()
const browser = await chromium.launch({ executablePath })
const options = { locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1040, height: 800 } }
const tab = await browser.newPage(options)
await tab.clock.setFixedTime(NOW_MS)
await tab.goto(`${page.url}#id=${SHOWN}`)
await tab.getByRole('heading', { name: 'Bits' }).waitFor()
await tab.locator('#pasted').blur()
await tab.screenshot({ path: PICTURE, fullPage: true })
await browser.close()
await page.close()
console.log(PICTURE)
