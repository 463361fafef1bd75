import { readFile } from 'node:fs/promises'
import { IdError, type IdFamily, isPlausible, prefixed } from '@snoflax/core'
import { isPrefixed } from '@snoflax/core/adapter'
import { driver } from '../databases.js'
import { UsageError } from '../exit.js'
import type { Reading, Seals } from './families.js'

/** A sealed text: 22 characters, and a prefix before them if the ids have one. */
const SEALED = /^(?:([a-z][a-z0-9_]*)_)?[A-Za-z0-9_-]{21}[AQgw]$/

/** By the keys in a file, one a line, so that none is in the list of processes. @throws {UsageError} */
export async function sealsOf(file: string): Promise<Seals> {
  const { seal } = await driver(() => import('@snoflax/seal'), '@snoflax/seal')
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
  return {
    open: (input, known) => {
      const [, prefix] = SEALED.exec(input) ?? []
      if (!SEALED.test(input)) return []
      return known
        .filter(({ byteLength }) => byteLength <= LONGEST)
        .flatMap((base): Reading[] => {
          try {
            const family = prefix === undefined || isPrefixed(base) ? base : prefixed(base, prefix)
            const id: string = sealOf(family).open(input)
            return [{ family, form: 'sealed', id, plausible: isPlausible(family, id) }]
          } catch (error) {
            if (error instanceof IdError) return []
            throw error
          }
        })
    },
    seal: (family, id) => sealOf(family).seal(id as never),
  }
}

/** Bytes of the longest ids that can be sealed. */
const LONGEST = 12
