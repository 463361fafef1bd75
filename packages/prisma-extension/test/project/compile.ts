import { dirname } from 'node:path'
import ts from 'typescript'

const STRICT: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/** What a project may ask of code that it has not written, too. */
export const STRICTEST: ts.CompilerOptions = {
  noUnusedLocals: true,
  noUnusedParameters: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  declaration: true,
  isolatedDeclarations: true,
}

/** What the compiler says of a file and of all that it imports: `file:line text`. */
export function diagnosticsOf(file: string, options: ts.CompilerOptions = {}): string[] {
  const program = ts.createProgram([file], { ...STRICT, ...options })
  return ts.getPreEmitDiagnostics(program).map(({ file: at, start = 0, messageText }) => {
    const line = at ? at.getLineAndCharacterOfPosition(start).line + 1 : 0
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    return `${at?.fileName.replace(`${dirname(file)}/`, '')}:${line} ${text}`
  })
}
