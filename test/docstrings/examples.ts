import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { folderOf, PACKAGES } from '../../scripts/packages.js'

export interface Example {
  /** Of the source, below the root. */
  readonly path: string
  readonly line: number
  readonly code: string
}

/** The `@example` blocks of all sources of all packages, as the compiler reads them and editors show them. */
export function examplesBelow(root: string): Example[] {
  return PACKAGES.map((name) => `${folderOf(name)}/src`)
    .flatMap((folder) => sourcesIn(root, folder))
    .flatMap((path) => examplesIn(path, readFileSync(join(root, path), 'utf8')))
}

const sourcesIn = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)

export function examplesIn(path: string, text: string): Example[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const tags = new Set<ts.JSDocTag>()
  const visit = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node)) if (tag.tagName.text === 'example') tags.add(tag)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return [...tags].map((tag) => ({
    path,
    line: file.getLineAndCharacterOfPosition(tag.pos).line + 1,
    code: withoutTicks(ts.getTextOfJSDocComment(tag.comment) ?? ''),
  }))
}

// The compiler takes an `@` behind a space for the next tag, but in backticks, and those only within a line.
const withoutTicks = (text: string): string => text.replace(/^`([^`]*)`$/, '$1')
