/// <reference types="vite/types/importMeta.d.ts" />
import { IdError } from '@snoflax/core'
import { MISTAKES, type Mistake, type Mistakes } from '@snoflax/test/contract'
import { describe, expect, test } from 'vitest'

// The same mistake has the same code and text in every package, with the place in front.

// By pattern, since these files belong to TypeScript projects of their own.
const PACKAGES = Object.entries(
  import.meta.glob<Mistakes>('../{packages,tools}/*/test/mistakes.ts', { eager: true, import: 'default' }),
).map(([file, mistakes]) => [file.split('/')[2] as string, mistakes] as const)

test('every mistake is tested in some package', () => {
  const made = new Set(PACKAGES.flatMap(([, mistakes]) => Object.keys(mistakes)))
  expect([...made].sort()).toEqual(Object.keys(MISTAKES).sort())
})

describe.each(Object.entries<Mistake>(MISTAKES))('%s', (name, { code, text }) => {
  const makers = PACKAGES.flatMap(([folder, mistakes]) => {
    const make = mistakes[name as keyof Mistakes]
    return make ? [[folder, make] as const] : []
  })

  test.each(makers)('%s', async (_, make) => {
    const error = await Promise.resolve()
      .then(make)
      .then(
        () => expect.fail('not refused'),
        (thrown: unknown) => thrown,
      )
    expect(error).toBeInstanceOf(IdError)
    const { path, message, code: actual } = error as IdError
    const behindPath = path === undefined ? message : message.slice(path.length + 2)
    if (path !== undefined) expect(message).toBe(`${path}: ${behindPath}`)
    if (typeof text === 'string') expect(behindPath).toBe(text)
    else expect(behindPath).toMatch(text)
    expect(actual).toBe(code)
  })
})
