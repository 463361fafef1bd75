import type ts from 'typescript'
import type { Edit } from './edits.js'
import type { Imported, Source, Sources } from './sources.js'

/** A name that a module exports. */
export type Export = readonly [name: string, module: string]

const isExport = (imported: Imported | undefined, module: string, name: string): boolean =>
  imported?.module === module && imported.name === name

/** The first of these exports whose name a file has for something else. */
export function takenIn(file: Source, wanted: readonly Export[]): string | undefined {
  const isTaken = ([name, module]: Export): boolean => {
    const imported = file.imports.get(name)
    return file.declared.has(name) || (imported !== undefined && !isExport(imported, module, name))
  }
  return wanted.find(isTaken)?.[0]
}

/**
 * Edits that import names, write statements below the imports that stand before the other edits, and drop the imports
 * that those leave without a use.
 */
export function importing(
  sources: Sources,
  file: Source,
  wanted: readonly Export[],
  statements: readonly string[],
  edits: readonly Edit[],
): Edit[] {
  const { ts } = sources
  const imports = file.node.statements.filter(ts.isImportDeclaration)
  const first = Math.min(...edits.map(({ start }) => start))
  const last = imports.filter((statement) => statement.end <= first).at(-1)
  const end = /;\s*$/.test(last?.getText() ?? '') ? ';' : ''
  const quote = last?.moduleSpecifier.getText()[0] ?? "'"
  const lines = [...new Set(wanted.map(([, module]) => module))].flatMap((module) => {
    const missing = new Set(
      wanted.flatMap(([name, from]) =>
        from === module && !isExport(file.imports.get(name), module, name) ? name : [],
      ),
    )
    const names = [...missing].sort().join(', ')
    return names ? `import { ${names} } from ${quote}${module}${quote}${end}` : []
  })
  const own = statements.map((statement) => `${statement.replaceAll("'", quote)}${end}`)
  const added = [...lines, ...(own.length > 0 ? ['', ...own] : [])].join('\n')
  const unused = imports.flatMap((statement) =>
    withoutUnused(sources, file, statement, edits, statement === last ? added : ''),
  )
  if (added === '' || unused.some((edit) => edit.text === added)) return unused
  const edited = file.node.statements.find((statement) => statement.end > first)
  const at = last?.end ?? edited?.getStart() ?? 0
  return [...unused, { start: at, end: at, text: last ? `\n${added}` : `${added}\n` }]
}

/** An import without the names that the edits leave without a use: the text in its place, if it has no others. */
function withoutUnused(
  sources: Sources,
  file: Source,
  statement: ts.ImportDeclaration,
  edits: readonly Edit[],
  inPlace: string,
): Edit[] {
  const { ts } = sources
  const { text } = file.node
  const bindings = statement.importClause?.namedBindings
  const named = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : []
  const whole = statement.importClause?.name
  const names = [...named.map(({ name }) => name.text), ...(whole ? [whole.text] : [])]
  const touched = new Set(edits.flatMap(({ start, end }) => text.slice(start, end).match(/[\w$]+/g) ?? []))
  const gone = names.filter((name) => touched.has(name) && !isUsed(sources, file, name, edits))
  if (gone.length === 0) return []
  if (gone.length < names.length) {
    const kept = named.filter(({ name }) => !gone.includes(name.text)).map((one) => one.getText())
    return bindings ? [{ start: bindings.getStart(), end: bindings.end, text: `{ ${kept.join(', ')} }` }] : []
  }
  const [start, end] = [statement.getStart(), statement.end]
  const lineEnd = /^\r?\n/.exec(text.slice(end))?.[0].length ?? 0
  return [inPlace ? { start, end, text: inPlace } : { start, end: end + lineEnd, text: '' }]
}

function isUsed(sources: Sources, file: Source, name: string, edits: readonly Edit[]): boolean {
  const { ts } = sources
  const word = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`)
  let used = edits.some((edit) => word.test(edit.text))
  sources.walk(file.node, (node) => {
    used ||=
      ts.isIdentifier(node) &&
      node.text === name &&
      !ts.isImportSpecifier(node.parent) &&
      !ts.isImportClause(node.parent) &&
      !edits.some(({ start, end }) => start <= node.getStart() && node.end <= end)
  })
  return used
}
