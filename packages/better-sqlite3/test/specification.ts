import { readFileSync } from 'node:fs'

/** A file of spec/, parsed. */
export function specification<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(`../../../spec/${path}.json`, import.meta.url), 'utf8'))
}
