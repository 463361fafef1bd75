import ts from 'typescript'

const STRICT: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  // Without it, `key: value` that stands alone is code.
  allowUnusedLabels: false,
  experimentalDecorators: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
}

/** What the compiler says of code that would lie at these paths; it imports what lies there already. */
export function typeErrors(codeAt: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(STRICT)
  const { fileExists, readFile } = host
  host.fileExists = (path) => codeAt.has(path) || fileExists(path)
  host.readFile = (path) => codeAt.get(path) ?? readFile(path)
  return ts.getPreEmitDiagnostics(ts.createProgram([...codeAt.keys()], STRICT, host)).map(described)
}

function described({ file, start = 0, messageText }: ts.Diagnostic): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n')
  if (file === undefined) return message
  const line = file.getLineAndCharacterOfPosition(start).line
  return `${file.fileName}: ${file.text.split('\n')[line]?.trim()}: ${message}`
}
