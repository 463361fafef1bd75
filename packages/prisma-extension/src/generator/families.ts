import { createRequire } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as core from '@snoflax/core'
import type { AnyFamily } from '../configuration.js'

/** A family, and where the generated module imports it from. */
export interface FoundFamily {
  readonly family: AnyFamily
  /** Its name in the generated module. */
  readonly name: string
  /** Name of the export: the family, or the base to which the module adds a prefix. */
  readonly export: string
  /** The package that exports it, or the absolute path of a module. */
  readonly from: string
  readonly prefix?: string | undefined
  /** The pattern of opaque ids that the schema declares. */
  readonly pattern?: RegExp | undefined
}

/** What a comment says of a field's family. */
type Asked = Pick<FoundFamily, 'prefix' | 'pattern'> & {
  readonly family: string
  /** The name of opaque ids: their model, or model and field. */
  readonly label?: string
}

export type FindFamily = (asked: Asked) => FoundFamily

type Exports = Readonly<Record<string, unknown>>

/** A module, as the generated one imports it, and its exports. */
type Source = readonly [from: string, exports: Exports]

/**
 * Families by the name of their export: first those of the modules, in their order, then core's.
 *
 * @param modules paths that start at the schema file, or names of packages; a path begins with `.` or `/`.
 * @param schema absolute path of the schema file.
 */
export async function loadFamilies(modules: readonly string[], schema: string): Promise<FindFamily> {
  const imported = modules.map((module) => importFamilies(module, schema))
  const sources: Source[] = [...(await Promise.all(imported)), ['@snoflax/core', core]]
  return ({ family: name, prefix, pattern, label = name }) => {
    const isOpaque = name === 'opaque'
    if (isOpaque !== (pattern !== undefined))
      throw new core.IdError(
        'INVALID_OPTION',
        'opaque and pattern belong together, as in /// @snoflax opaque pattern=/[a-z0-9]{24}/ generate=prisma',
        { field: 'pattern', value: pattern },
      )
    if (pattern) return opaqueFamily(label, pattern)
    const found = sources.find(([, exports]) => Object.hasOwn(exports, name))
    const family = found?.[1][name]
    if (found !== undefined && isFamily(family)) {
      return withPrefix({ family, name, export: name, from: found[0] }, prefix)
    }
    if (typeof family === 'function') {
      const reason =
        `${name} is a function: in a module of yours write export const userId = ${name}('user'), name the module, ` +
        'as in families = "../src/ids.js", and write /// @snoflax userId'
      throw new core.IdError('INVALID_OPTION', reason, { field: 'family', value: name })
    }
    const known = sources.flatMap(([, exports]) => namesOfFamilies(exports)).join(', ')
    const more = modules.includes(FAMILIES)
      ? ''
      : `; ${FAMILIES} has more: families = ${JSON.stringify(FAMILIES)}`
    throw new core.IdError('INVALID_OPTION', `no family ${JSON.stringify(name)}, only ${known}${more}`, {
      field: 'family',
      value: name,
    })
  }
}

/** @throws {IdError} as `opaque`. */
const opaqueFamily = (label: string, pattern: RegExp): FoundFamily => ({
  family: core.opaque(label, { pattern }),
  name: `${label.charAt(0).toLowerCase()}${label.slice(1).replace(/\.(.)/g, (_, first: string) => first.toUpperCase())}Id`,
  export: 'opaque',
  from: '@snoflax/core',
  pattern,
})

/** @throws {IdError} as `prefixed`. */
function withPrefix(found: FoundFamily, prefix: string | undefined): FoundFamily {
  if (prefix === undefined) return found
  return { ...found, family: core.prefixed(found.family, prefix), name: `${prefix}Id`, prefix }
}

/** The name in messages. */
const FAMILIES = '@snoflax/families'

async function importFamilies(module: string, schema: string): Promise<Source> {
  const isPath = module.startsWith('.') || isAbsolute(module)
  const from = isPath ? resolve(dirname(schema), module) : module
  try {
    const file = isPath ? from : createRequire(schema).resolve(module)
    return [from, (await import(pathToFileURL(file).href)) as Exports]
  } catch (cause) {
    throw new core.IdError(
      'INVALID_OPTION',
      `families: Node can't import ${module}: ${cause instanceof Error ? cause.message : cause}`,
      { field: 'families', value: module, cause },
    )
  }
}

const namesOfFamilies = (exports: Exports): string[] =>
  Object.keys(exports).filter((name) => isFamily(exports[name]))

const isFamily = (value: unknown): value is AnyFamily =>
  typeof value === 'object' && value !== null && 'decode' in value && 'storages' in value
