import { pathToFileURL } from 'node:url'
import * as core from '@snoflax/core'
import type { AnyFamily } from '../configuration.js'

/** A family, and where the generated module has it from. */
export interface FoundFamily {
  readonly family: AnyFamily
  /** Its name in the generated module. */
  readonly name: string
  /** Name of the export; of the base, where the module puts a prefix in front of its ids. */
  readonly export: string
  /** File of the user's own families; undefined for those of core. */
  readonly file: string | undefined
  readonly prefix?: string
}

export type FindFamily = (name: string, prefix?: string) => FoundFamily

type Exports = Readonly<Record<string, unknown>>

/**
 * Families by the name of their export: first those of the user's own module, then core's.
 *
 * @param file absolute path of a module that Node can import
 */
export async function loadFamilies(file?: string): Promise<FindFamily> {
  const own = file === undefined ? {} : await importFamilies(file)
  return (name, prefix) => {
    const [exports, from] = Object.hasOwn(own, name) ? [own, file] : [core as Exports, undefined]
    const family = exports[name]
    if (isFamily(family)) return withPrefix({ family, name, export: name, file: from }, prefix)
    const known = [own, core].flatMap(namesOfFamilies).join(', ')
    throw new core.IdError('INVALID_OPTION', `no family ${JSON.stringify(name)}, only ${known}`, {
      field: 'family',
      value: name,
    })
  }
}

/** @throws {IdError} as `prefixed`. */
const withPrefix = (found: FoundFamily, prefix: string | undefined): FoundFamily =>
  prefix === undefined
    ? found
    : { ...found, family: core.prefixed(found.family, prefix), name: `${prefix}Id`, prefix }

async function importFamilies(file: string): Promise<Exports> {
  try {
    return (await import(pathToFileURL(file).href)) as Exports
  } catch (cause) {
    throw new core.IdError(
      'INVALID_OPTION',
      `families: Node can't import ${file}: ${cause instanceof Error ? cause.message : cause}`,
      { field: 'families', value: file, cause },
    )
  }
}

const namesOfFamilies = (exports: Exports): string[] =>
  Object.keys(exports).filter((name) => isFamily(exports[name]))

const isFamily = (value: unknown): value is AnyFamily =>
  typeof value === 'object' && value !== null && 'byteLength' in value && 'storages' in value
