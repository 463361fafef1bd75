import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { blocksOf, section } from './snippets/page.js'
import { at, headingOf, ormFolders } from './workspace.js'

const page = (path: string) => readFileSync(at(path), 'utf8')

const LANGUAGES = '(?:ts|prisma|sql)'

// Each package's tests run the blocks of its own page.
describe.each(ormFolders)('the quick start of %s', (folder) => {
  test('is on the page of its package, where it is run', () => {
    const shown = blocksOf(section(page('README.md'), headingOf(folder)), LANGUAGES)
    expect(shown.length).toBeGreaterThan(1)
    expect(blocksOf(page(`packages/${folder}/README.md`), LANGUAGES)).toEqual(expect.arrayContaining(shown))
  })
})
