import { type IdFamily, storageFor } from '@snoflax/core'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from '#inspector/families'
import { findChromium } from '../scripts/chromium.js'
import { serve } from '../scripts/serve.js'
import { family } from './ids.js'

const executablePath = await findChromium()
if (!executablePath) {
  console.log('inspector: no Chromium selected (none in PATH, and SNOFLAX_CHROMIUM names none)')
}

const SNO = 'brpk4q72xwf2m63l'

// Only a guard against hanging: a busy machine may take long.
const PAGE_MS = 120_000

describe.skipIf(!executablePath)('the page, in Chromium', { timeout: PAGE_MS }, () => {
  let site: Awaited<ReturnType<typeof serve>>
  let browser: Browser
  let problems: string[]
  beforeAll(async () => {
    site = await serve()
    browser = await chromium.launch({ executablePath: executablePath as string, timeout: PAGE_MS })
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    expect(problems).toEqual([])
  })

  /** The page, with everything that goes wrong in it, and every request that leaves the site. */
  async function open(id = '', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
    context.setDefaultTimeout(PAGE_MS)
    const page = await context.newPage()
    problems = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('request', (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith('data:'))
        problems.push(request.url())
    })
    await page.goto(id === '' ? site.url : `${site.url}#${new URLSearchParams({ id })}`)
    await page.locator('#makers button').last().waitFor()
    return page
  }

  const field = (page: Page) => page.getByLabel('Id, as text, hex, uuid or decimal number')
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
  const part = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
  const shownId = (page: Page) => page.locator('.id code').textContent()
  const chosen = (page: Page) => page.locator('input[name=fit]:checked').inputValue()

  /** A table's body, cell by cell, without the captions of its buttons. */
  const cells = async (page: Page, name: string | RegExp) => {
    const rows = await page.getByRole('group', { name }).locator('tbody tr').all()
    return Promise.all(
      rows.map(async (row) => {
        const texts = await row.locator('th, td').allInnerTexts()
        return texts.map((text) => text.replace(/\s*Copy$/, '').trim())
      }),
    )
  }

  test('shows the bits, fields, times, storages and day of what is pasted', async () => {
    const page = await open()
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0)
    await field(page).fill(SNO)
    expect(await page.getByRole('img').getAttribute('aria-label')).toBe(
      '39 bits time, 1 bit tickTock, 8 bits meta, 16 bits partition, 16 bits sequence',
    )
    expect((await page.locator('.bit').allInnerTexts()).join('')).toBe(
      BigInt('0x4e6f2160a0ff9a0a1033').toString(2).padStart(80, '0'),
    )
    expect(await cells(page, 'Fields')).toEqual([
      ['time', '0–38', '39', '168435953744', '273790b050'],
      ['tickTock', '39', '1', '0', '0'],
      ['meta', '40–47', '8', '255', 'ff'],
      ['partition', '48–63', '16', '39434', '9a0a'],
      ['sequence', '64–79', '16', '4147', '1033'],
    ])
    const times = await part(page, 'Time').locator('dd').allInnerTexts()
    expect(times[0]).toBe('2031-05-08T23:03:34.976Z')
    expect(times[1]).toContain('9 May 2031 at 01:03:34')
    expect(times[3]).toBe('1936047814976')
    expect(await cells(page, 'Storages')).toContainEqual([
      'uuid8',
      'uuid',
      '4e6f2160-a0ff-89a0-8a10-330000000002',
    ])
    expect(await cells(page, /^Bounds of/)).toContainEqual(['text', 'broci3i222222222', 'brplof2222222222'])
  })

  test.each(FAMILIES.map((one) => [one.name, one] as const))(
    '%s: made by its button, and read back from every storage',
    async (name, one: IdFamily) => {
      const page = await open()
      const since = Date.now()
      await page.getByRole('button', { name, exact: true }).click()
      const id = await field(page).inputValue()
      expect(one.timeMs(id)).toBeGreaterThan(since - 5000)
      expect(await chosen(page)).toBe(`${name} text`)
      for (const [storage, , value] of await cells(page, 'Storages')) {
        expect(storageFor(one, 'postgres', { storage: storage as 'text' }).fromDatabase(value)).toBe(id)
        await field(page).fill(value as string)
        // An id in hex may be of another family just as well.
        await page.locator(`input[name=fit][value^="${name} "]`).check()
        expect(await shownId(page)).toBe(id)
      }
    },
  )

  test('lets the reading be chosen by keyboard alone', async () => {
    const page = await open()
    await page.keyboard.press('Tab')
    await page.keyboard.type(SNO)
    expect(await page.locator('.fit').count()).toBe(3)
    for (const { name } of FAMILIES) {
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').textContent()).toBe(name)
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    expect(await chosen(page)).toBe('flax text')
    expect(await page.locator('.note').filter({ hasText: 'bytes' }).textContent()).toBe(
      'flax, 12 bytes, 96 bits',
    )
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Copy the flax')
  })

  test('says that a range of uid has to be rechecked', async () => {
    const page = await open('.5.tXVEf8n4vPN.0')
    expect(await chosen(page)).toBe('uid text')
    expect(await part(page, /^Ids of .* in UTC/).textContent()).toContain('recheck with uid.time')
  })

  test('says why a text is no id, and shows nothing of the one before', async () => {
    const page = await open(SNO)
    await field(page).fill('brpk4q72xwf2m63!')
    await heading(page, 'No family and no storage form fits').waitFor()
    const reasons = await part(page, /^No family/)
      .locator('li')
      .allInnerTexts()
    expect(reasons).toHaveLength(FAMILIES.length)
    expect(reasons[0]).toContain('position 15')
    expect(await page.locator('.strip, .fit').count()).toBe(0)
    await field(page).fill('')
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0)
  })

  test('shows what was pasted as text, never as a part of the page', async () => {
    const page = await open('<img src=x onerror=alert(1)>')
    expect(await page.locator('main img').count()).toBe(0)
    expect(await part(page, /^No family/).textContent()).toContain('<img src=x')
  })

  test('a link leads to its id, and what is typed makes the link', async () => {
    const page = await open('\\x4e6f2160a0ff9a0a1033')
    expect(await shownId(page)).toBe(SNO)
    await field(page).fill(` ${SNO}\t`)
    await page.waitForURL(`${site.url}#id=${SNO}`)
    await page.evaluate(() => {
      location.hash = '#id=.5.tXbhdV.3'
    })
    await page.locator('.id code', { hasText: '.5.tXbhdV.3' }).waitFor()
    expect(await field(page).inputValue()).toBe('.5.tXbhdV.3')
    await page.goto(`${site.url}#id=%E0%A4%A`)
    await part(page, /^No family/).waitFor()
  })

  test('copies, and says so', async () => {
    const page = await open(SNO, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByRole('button', { name: 'Copy the id as uuid', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Copied the id as uuid' }).waitFor()
    const uuid = storageFor(family('sno'), 'postgres').toDatabase(SNO)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(uuid)
  })

  test('says that it could not copy, where the browser refuses', async () => {
    const page = await open(SNO)
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
    })
    await page.getByRole('button', { name: 'Copy the sno', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'refused to copy the sno' }).waitFor()
  })

  test.each(['light', 'dark'] as const)('is accessible, %s', async (colorScheme) => {
    for (const id of ['', SNO, 'no such id!']) {
      const page = await open(id, { colorScheme })
      await page.evaluate(axe.source)
      const { violations, passes } = await page.evaluate<axe.AxeResults>('axe.run()')
      expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`))).toEqual([])
      expect(passes.map(({ id }) => id)).toContain('color-contrast')
    }
  })

  test('wears the colours of the scheme that is asked for', async () => {
    const ground = async (colorScheme: 'light' | 'dark') =>
      (await open(SNO, { colorScheme })).evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect([await ground('light'), await ground('dark')]).toEqual(['rgb(246, 247, 249)', 'rgb(16, 21, 28)'])
  })

  test('fits a narrow window: tables scroll within themselves', async () => {
    const page = await open(SNO, { viewport: { width: 360, height: 700 } })
    const [content, window] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(window).toBe(360)
    expect(content).toBe(window)
  })
})
