import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { folderOf, PACKAGES } from '../../scripts/packages.js'

/** Something that a package exports, wherever it is defined. */
export interface Exported {
  /** With the entry point: `@snoflax/core flax`. */
  readonly name: string
  /** Whether it is there at run time: a function, class or constant. */
  readonly isValue: boolean
  readonly documentation: string
  /** Names of its tags, such as `example`. */
  readonly tags: readonly string[]
  /** Members of an interface or object type that say nothing of themselves. */
  readonly silentMembers: readonly string[]
}

/** All that the entry points of all packages export. */
export function exportsBelow(root: string): Exported[] {
  const entries = PACKAGES.flatMap((name) => entriesOf(join(root, folderOf(name))))
  return exportsOf(new Map(entries))
}

/** Name of an entry point → its source. */
function entriesOf(folder: string): [string, string][] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = Object.entries<{ readonly import?: { readonly types: string } }>(exports)
  return entries.flatMap(([subpath, { import: module }]) => {
    if (module === undefined) return []
    const source = module.types.replace(/^\.\/(?:dist|types)\//, 'src/').replace(/\.d\.m?ts$/, '.ts')
    return [[`${name}${subpath.slice(1)}`, join(folder, source)]]
  })
}

/** Names and comments are looked at, not types, so that nothing else needs to be read. */
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  noLib: true,
}

export function exportsOf(entries: ReadonlyMap<string, string>): Exported[] {
  const program = ts.createProgram([...entries.values()], OPTIONS)
  const checker = program.getTypeChecker()
  return [...entries].flatMap(([entry, path]) =>
    exportsOfModule(checker, program.getSourceFile(path) as ts.SourceFile).map(([name, symbol]) =>
      describe(checker, `${entry} ${name}`, symbol),
    ),
  )
}

function exportsOfModule(checker: ts.TypeChecker, file: ts.SourceFile): [string, ts.Symbol][] {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol)
  return symbols.map((symbol) => [
    symbol.name,
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  ])
}

const describe = (checker: ts.TypeChecker, name: string, symbol: ts.Symbol): Exported => ({
  name,
  isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
  documentation: documentationOf(checker, symbol),
  tags: symbol.getJsDocTags(checker).map((tag) => tag.name),
  silentMembers: membersOf(checker, symbol)
    .filter((member) => documentationOf(checker, member) === '')
    .map((member) => member.name),
})

const documentationOf = (checker: ts.TypeChecker, symbol: ts.Symbol): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker))

/** A class tells of itself by its example; what it overrides is its parent's. */
function membersOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol[] {
  return (symbol.declarations ?? []).flatMap(membersDeclared).flatMap(({ name }) => {
    const member = name && checker.getSymbolAtLocation(name)
    return member ? [member] : []
  })
}

function membersDeclared(declaration: ts.Declaration): readonly ts.TypeElement[] {
  if (ts.isInterfaceDeclaration(declaration)) return declaration.members
  if (!ts.isTypeAliasDeclaration(declaration)) return []
  return ts.isTypeLiteralNode(declaration.type) ? declaration.type.members : []
}
