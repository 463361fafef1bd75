// Follows every link of the built site, then opens pages in Chromium, wide and narrow, light and dark: they must load whole,
// without an error, fit the window and work.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { serve } from 'vitepress'
import { findChromium } from '../examples/inspector/scripts/chromium.js'
import { base } from './base.js'

// The inspector's tests have it already.
const require = createRequire(new URL('../examples/inspector/package.json', import.meta.url))
const { chromium } = /** @type {import('playwright-core')} */ (require('playwright-core'))

/** @typedef {import('playwright-core').Page} Page */

/** What a reader does on a page, by its path below the base. @type {Record<string, (page: Page) => Promise<void>>} */
const PAGES = {
  '': async (page) => {
    const code = page.locator('.hero-id pre')
    const before = await code.textContent()
    await page.getByRole('button', { name: 'Generate another id' }).click()
    assert.notEqual(await code.textContent(), before)
    assert.match(String(await code.textContent()), /IdError WRONG_PREFIX/)
    const inspector = page.frameLocator('iframe.inspector')
    await inspector.locator('#pasted').fill('Kpcan0M1FakODT4k')
    await inspector.locator('#inspection').getByText('2026').first().waitFor()
  },
  'overview.html': async (page) => {
    await page.getByRole('button', { name: 'Search' }).click()
    // What people search for comes before results of tests.
    await page.getByRole('searchbox').fill('pagination')
    await page.locator('#localsearch-list li').first().getByText('Pagination').first().waitFor()
    assert.match(String(await page.locator('#localsearch-list .excerpt').first().textContent()), /\w \w/)
  },
  'packages/drizzle/index.html': async (page) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
  },
  'docs/start/drizzle.html': async (page) => {
    await page.getByText('pnpm', { exact: true }).first().click()
    await page.getByText('pnpm add @snoflax/drizzle').first().waitFor()
  },
  'api/index.html': async (page) => {
    await page.getByRole('link', { name: '@snoflax/core', exact: true }).first().waitFor()
  },
  // Its tables are wider than a phone.
  'api/modules/_snoflax_core.html': async (page) => {
    await page.getByRole('heading', { name: 'Module @snoflax/core' }).waitFor()
  },
  'inspector/index.html': async (page) => {
    await page.getByText('2026').first().waitFor()
    await page.locator('input, textarea').first().fill('9q6itj3u2u4io2i2')
    await page.getByText('partition').first().waitFor()
    await page.getByRole('link', { name: 'snoflax' }).click()
    await page.getByRole('button', { name: 'Generate another id' }).waitFor()
  },
}
const WINDOWS = /** @type {const} */ ([
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
])

/** Fails at a link to nothing, in whichever part of the site. @param {string} origin */
async function followLinks(origin) {
  /** Each path with the page that has the link. */
  const paths = new Map(['', 'llms.txt', 'llms-full.txt'].map((path) => [base + path, 'the server']))
  // A Map's iteration includes what is added meanwhile.
  for (const [path, page] of paths) {
    const response = await fetch(origin + path)
    assert.ok(response.ok, `${page} links to ${path}: ${response.status}`)
    const text = await response.text()
    const isList = path.endsWith('llms.txt')
    if (!isList && !response.headers.get('content-type')?.startsWith('text/html')) continue
    for (const [, link = ''] of text.matchAll(isList ? /\]\(([^)#]+)/g : /<[^>]*? (?:href|src)="([^"#]+)/g)) {
      const url = new URL(link, origin + path)
      if (url.origin === origin && !paths.has(url.pathname)) paths.set(url.pathname, path)
    }
  }
  console.log(`site: ${paths.size} links followed`)
}

// Of the system's choice.
const { server } = await serve({ root: import.meta.dirname, base, port: 0 })
if (!server.listening) await once(server, 'listening')
const origin = `http://localhost:${server.address().port}`
await followLinks(origin)

const executablePath = await findChromium()
if (!executablePath) {
  console.log('site: not opened: no Chromium in PATH, and SNOFLAX_CHROMIUM names none')
  process.exit()
}
const browser = await chromium.launch({ executablePath })
for (const options of WINDOWS) {
  for (const [path, use] of Object.entries(PAGES)) {
    const name = `${path || 'the front page'}, ${options.viewport.width} wide, ${options.colorScheme}`
    const context = await browser.newContext(options)
    const page = await context.newPage()
    /** @type {string[]} */
    const problems = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('response', (response) => response.status() >= 400 && problems.push(response.url()))
    await page.goto(`${origin}${base}${path}`, { waitUntil: 'networkidle' })
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    assert.ok(Number(overflow) <= 0, `${name}: ${overflow} pixels too wide`)
    await use(page)
    assert.deepEqual(problems, [], name)
    await context.close()
  }
}
await browser.close()
server.close()
console.log(`site: ${Object.keys(PAGES).length} pages opened in Chromium, wide and narrow`)
process.exit()
