import { relative } from 'node:path'
import { configuration } from './module-configuration.js'
import { families, idFields, type ModuleContent, madeFamilies } from './module-content.js'
import { isOptional, types } from './module-types.js'
import { nameOf } from './schema.js'
import { MARK } from './write.js'

export type Language = 'ts' | 'js'

/** The files of the generated module: name → text. */
export function moduleFiles(content: ModuleContent, language: Language): Readonly<Record<string, string>> {
  if (language === 'ts') return { 'index.ts': typescript(content) }
  return {
    'index.js': javascript(content),
    'index.d.ts': declarations(content),
    // In projects of CommonJS modules, too, the folder's files are ES modules.
    'package.json': '{ "type": "module" }\n',
  }
}

const HEAD = `/* eslint-disable */\n// ${MARK} from the Prisma schema. Changes are lost.\n`

const typescript = (content: ModuleContent): string => `${HEAD}
${familyImports(content, 'import')}
${generatorImport(content)}import {
  type Configuration,
  type Extension,
  idExtension,
  type RawQueries,
  rawQueries,
} from '@snoflax/prisma-extension'

${types(content)}
export const configuration: Configuration = ${configuration(content)}

/** The extension, to be given to \`$extends\` after all others. */
export const snoflax = (options${isOptional(content) ? ': Options = {}' : ': Options'}): Extension<Ids> =>
  idExtension<Ids>(configuration, options)

/** For raw queries: \`parameter('${firstName(content)}', id)\` and \`readRows(rows, { id: '${firstName(content)}' })\`. */
const raw: RawQueries<IdTypes> = rawQueries<IdTypes>(configuration)
export const parameter: RawQueries<IdTypes>['parameter'] = raw.parameter
export const readRows: RawQueries<IdTypes>['readRows'] = raw.readRows
`

const javascript = (content: ModuleContent): string => `${HEAD}
${familyImports(content, 'import')}
import { idExtension, rawQueries } from '@snoflax/prisma-extension'

export const configuration = ${configuration(content)}

export const snoflax = (options) => idExtension(configuration, options)

export const { parameter, readRows } = rawQueries(configuration)
`

const declarations = (content: ModuleContent): string => `${HEAD}
${familyImports(content, 'import type')}
${generatorImport(content)}import type { Configuration, Extension, RawQueries } from '@snoflax/prisma-extension'

${types(content)}
export declare const configuration: Configuration

/** The extension, to be given to \`$extends\` after all others. */
export declare const snoflax: (options${isOptional(content) ? '?' : ''}: Options) => Extension<Ids>

/** For raw queries: \`parameter('${firstName(content)}', id)\` and \`readRows(rows, { id: '${firstName(content)}' })\`. */
export declare const parameter: RawQueries<IdTypes>['parameter']
export declare const readRows: RawQueries<IdTypes>['readRows']
`

const firstName = (content: ModuleContent): string => {
  const [first] = idFields(content)
  return first ? nameOf(first.model, first.field) : ''
}

/** Projects may refuse imports that nothing uses. */
const generatorImport = (content: ModuleContent): string =>
  madeFamilies(content).length > 0 ? "import type { IdGenerator } from '@snoflax/core'\n" : ''

function familyImports(content: ModuleContent, keyword: 'import' | 'import type'): string {
  const names = new Map<string, string[]>()
  for (const { name, file } of families(content)) {
    const from = file === undefined ? '@snoflax/core' : importPath(content.folder, file)
    names.set(from, [...(names.get(from) ?? []), name])
  }
  return [...names].map(([from, list]) => `${keyword} { ${list.join(', ')} } from '${from}'`).join('\n')
}

function importPath(folder: string, file: string): string {
  const path = relative(folder, file)
    .replaceAll('\\', '/')
    .replace(/\.(m|c)?ts$/, '.$1js')
  return path.startsWith('.') ? path : `./${path}`
}
