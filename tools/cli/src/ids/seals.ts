import { readFile } from 'node:fs/promises'
import { IdError, type IdFamily, prefixed } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import { isPlausible } from '@snoflax/core/inspect'
import type { Seal } from '@snoflax/seal'
import { UsageError } from '../exit.js'
import type { Reading, Seals } from './families.js'

/** A sealed text or UUID: at least 22 characters, and a prefix before them if the ids have one. */
const SEALED = /^(?:[a-z][a-z0-9_]*_)?[A-Za-z0-9_-]{22,}$/

/** By the keys in a file, one a line, so that none is in the list of processes. @throws {UsageError} */
export async function sealsOf(file: string): Promise<Seals> {
  const { seal } = await import('@snoflax/seal')
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`--seal-keys: ${error.message}`)
  })
  const keys = text.split('\n').flatMap((line) => line.trim() || [])
  const sealOf = (family: IdFamily) => {
    try {
      return seal(family as IdFamily<never>, { keys })
    } catch (error) {
      if (error instanceof IdError) throw new UsageError(error.message)
      throw error
    }
  }
  // Every UUID of version 4 opens with every key, so each gives a reading; `plausible` tells which one to believe.
  const forms: readonly ((family: IdFamily) => Seal<never>)[] = [
    sealOf,
    ...keys.map((key) => (family: IdFamily) => seal(family as IdFamily<never>, { keys: key, as: 'uuid' })),
  ]
  const openAs = (form: (typeof forms)[number], base: IdFamily, input: string): Reading[] => {
    try {
      const at = input.length - form(base).seal(base.min as never).length
      const family = at > 0 && !isPrefixed(base) ? prefixed(base, input.slice(0, at - 1)) : base
      const id: string = form(family).open(input)
      return [{ family, form: 'sealed', id, plausible: isPlausible(family, id) }]
    } catch (error) {
      if (error instanceof IdError) return []
      throw error
    }
  }
  return {
    open: (input, known) =>
      SEALED.test(input) ? known.flatMap((base) => forms.flatMap((form) => openAs(form, base, input))) : [],
    seal: (family, id) => sealOf(family).seal(id as never),
  }
}
