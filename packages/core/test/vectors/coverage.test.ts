import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { quirkOf, REFUSED_QUIRKS } from '../refused-quirks.js'
import { CLAIMS, VECTOR_FILES, vectorsOf } from '../vectors.js'

const claims = Object.values(CLAIMS)

const sources = ['../', '../../../families/test/uid/']
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => readFileSync(new URL(path, folder), 'utf8')),
  )

/** Whether some test asks for these vectors; a claim alone would only be words. */
const isAskedFor = (pattern: RegExp): boolean => sources.some((source) => pattern.test(source))

describe('claims', () => {
  test.each(Object.entries(CLAIMS))('%s: some test reads its vectors', (name, { file, kinds }) => {
    if (isAskedFor(new RegExp(`checkVectors\\('${name}'`))) return
    for (const kind of kinds) {
      expect(
        isAskedFor(new RegExp(`vectorsOf(<\\w+>)?\\(\\s*'${file}',\\s*'${kind}'`)),
        `${file} ${kind}`,
      ).toBe(true)
    }
  })
})

const kindsClaimed = (file: string): string[] =>
  claims.filter((claim) => claim.file === file).flatMap(({ kinds }) => [...kinds])

describe.each(VECTOR_FILES)('%s.json', (file) => {
  const vectors = vectorsOf(file)
  const kinds = [...new Set(vectors.map(({ kind }) => kind))]

  test('every kind is claimed by exactly one test file, and every claimed kind exists', () => {
    expect(kindsClaimed(file).sort()).toEqual(kinds.sort())
  })

  test('the claimed vectors add up to the whole file', () => {
    const claimed = kindsClaimed(file).flatMap((kind) => vectorsOf(file, kind))
    expect(new Set(claimed.map(({ v }) => v)).size).toBe(vectors.length)
    expect(claimed).toHaveLength(vectors.length)
    expect(vectors.length).toBeGreaterThan(0)
  })
})

describe('refused quirks', () => {
  test.each(REFUSED_QUIRKS)('$file $kinds: $reason', (quirk) => {
    const fitting = quirk.kinds.map((kind) =>
      vectorsOf(quirk.file, kind).filter((vector) => quirkOf(quirk.file, vector) === quirk),
    )
    expect(fitting.map(({ length }) => length)).not.toContain(0)
  })
})
