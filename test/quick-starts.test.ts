import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const blocksOf = (text: string) =>
  [...text.matchAll(/^```(?:ts|prisma|sql)\n([\s\S]*?)^```/gm)].map(([, code]) => code as string)

/** The text from a heading to the next one. */
const section = (heading: string) => page('README.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

// Each package's tests run the blocks of its own page.
describe.each([
  ['TypeORM', 'typeorm'],
  ['Prisma', 'prisma-extension'],
  ['Drizzle', 'drizzle'],
])('the quick start of %s', (heading, folder) => {
  test('is on the page of its package, where it is run', () => {
    const shown = blocksOf(section(heading))
    expect(shown.length).toBeGreaterThan(1)
    expect(blocksOf(page(`packages/${folder}/README.md`))).toEqual(expect.arrayContaining(shown))
  })
})
