import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { IdErrorCode } from '@snoflax/core'
import { describe, expect, test } from 'vitest'

const at = (path: string) => new URL(path, import.meta.url)
const GUIDE = readFileSync(at('../../../docs/own-family.md'), 'utf8')

const SOURCES = ['../src/', './']
  .flatMap((folder) => readdirSync(at(folder)).map((name) => `${folder}${name}`))
  .map((path) => readFileSync(at(path), 'utf8'))

const blocks = [...GUIDE.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code as string)

describe('the guide', () => {
  test.each(blocks.map((code) => [code.trim().split('\n')[0], code]))('%s: runs', (_, code) => {
    expect(SOURCES.some((source) => source.includes(code as string))).toBe(true)
  })

  test('contains code, and links to existing files', () => {
    expect(blocks.length).toBeGreaterThan(4)
    const links = [...GUIDE.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, path]) => path as string)
    expect(links.length).toBeGreaterThan(4)
    for (const path of links) {
      expect(() => statSync(at(`../../../docs/${path}`))).not.toThrow()
    }
  })

  test('names existing error codes', () => {
    const codes = [...GUIDE.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(([, code]) => code as IdErrorCode)
    const known: readonly IdErrorCode[] = [
      'INVALID_TYPE',
      'INVALID_LENGTH',
      'INVALID_CHARACTER',
      'NOT_CANONICAL',
      'FIELD_OUT_OF_RANGE',
      'TIME_OUT_OF_RANGE',
      'INVALID_TIME',
      'SEQUENCE_EXHAUSTED',
      'CLOCK_MOVED_BACK',
      'GENERATOR_REQUIRED',
    ]
    expect([...new Set(codes)].sort()).toEqual([...known].sort())
  })
})
