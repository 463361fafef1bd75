import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { contextOf } from './contexts.js'
import type { Example } from './examples.js'

/** A folder for an example in which its imports resolve as for users of the package. */
export const folderOf = (path: string): string => join(path.split('/src/')[0] as string, '.vitest/docstrings')

/** The example after its context, in its own scope, so that it may redefine names of the context. */
export function programOf({ path, code }: Example): string {
  const { code: setup, end = '', instead = {} } = contextOf(path)
  const example = Object.entries(instead).reduce((text, [from, to]) => text.replaceAll(from, to), code)
  return `${setup}\ntry {\n${example}\n} finally {\n${end}\n}`
}

/** The modules that programs import, by name, as they are found from a folder. */
export async function modulesOf(
  folder: string,
  programs: readonly string[],
): Promise<Record<string, unknown>> {
  const names = [...new Set(programs.flatMap(importsOf))]
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'modules.ts')
  writeFileSync(path, names.map((name, index) => `export * as m${index} from '${name}'\n`).join(''))
  const modules = await import(path)
  return Object.fromEntries(names.map((name, index) => [name, modules[`m${index}`]]))
}

/** Of modules, not of types. */
function importsOf(program: string): string[] {
  const { outputText } = ts.transpileModule(program, { compilerOptions: { module: ts.ModuleKind.CommonJS } })
  return [...outputText.matchAll(/\brequire\("(.+?)"\)/g)].map(([, name]) => name as string)
}
