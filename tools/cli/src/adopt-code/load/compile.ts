import { readFileSync } from 'node:fs'
import Module from 'node:module'
import { dirname, join } from 'node:path'
import type ts from 'typescript'

/** A module of an application, as its loader has it. */
interface Loaded {
  readonly filename?: string
  _compile(code: string, file: string): void
}

/** What Node's loader of CommonJS offers to loaders of other languages. */
interface Loader {
  readonly _extensions: Record<string, (module: Loaded, file: string) => void>
  _resolveFilename(request: string, parent: Loaded | undefined, ...more: unknown[]): string
}

const CODE = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx']

const isInstalled = (file: string): boolean => /[\\/]node_modules[\\/]/.test(file)

/**
 * Lets `require` load an application as its own TypeScript understands it: decorators and their metadata, path aliases, and
 * ES modules as CommonJS. `texts` replaces the content of files.
 */
export function compileWith(typescript: typeof ts, texts: ReadonlyMap<string, string>): void {
  const loader = Module as unknown as Loader
  const options = optionsBy(typescript)
  for (const ending of CODE) {
    const native = loader._extensions[ending] ?? loader._extensions['.js']
    loader._extensions[ending] = (module, file) => {
      if (isInstalled(file)) native?.(module, file)
      else
        module._compile(
          compiled(typescript, file, texts.get(file) ?? readFileSync(file, 'utf8'), options(file)),
          file,
        )
    }
  }
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, parent, ...more) => {
    const from = parent?.filename
    const own = from && !isInstalled(from) ? sourceOf(typescript, request, from, options(from)) : undefined
    if (own) return own
    try {
      return resolve(request, parent, ...more)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED' || !from) throw error
      // A package that names its modules for `import` only.
      const found = fileOf(typescript, request, from, { ...options(from), noDtsResolution: true })
      if (found) return found
      throw error
    }
  }
}

/** The file of the application that an import means; undefined for what is installed or built in. */
function sourceOf(
  typescript: typeof ts,
  request: string,
  from: string,
  options: ts.CompilerOptions,
): string | undefined {
  const file = fileOf(typescript, request, from, options)
  return file && !isInstalled(file) && !/\.d\.[cm]?ts$/.test(file) ? file : undefined
}

function fileOf(
  { resolveModuleName, sys }: typeof ts,
  request: string,
  from: string,
  options: ts.CompilerOptions,
): string | undefined {
  const file = resolveModuleName(request, from, options, sys).resolvedModule?.resolvedFileName
  return file && (sys.realpath?.(file) ?? file)
}

const META = '__importMeta'

function compiled(typescript: typeof ts, file: string, text: string, options: ts.CompilerOptions): string {
  const { ModuleKind, isMetaProperty, visitEachChild, visitNode, isSourceFile } = typescript
  const withoutMeta: ts.TransformerFactory<ts.SourceFile> = (context) => (source) => {
    const visit = (node: ts.Node): ts.Node =>
      isMetaProperty(node) && node.getText(source) === 'import.meta'
        ? context.factory.createIdentifier(META)
        : visitEachChild(node, visit, context)
    return visitNode(source, visit, isSourceFile) as ts.SourceFile
  }
  const { outputText } = typescript.transpileModule(text, {
    fileName: file,
    compilerOptions: { ...options, module: ModuleKind.CommonJS, moduleResolution: 2 },
    transformers: { before: [withoutMeta] },
  })
  if (!text.includes('import.meta')) return outputText
  return `const ${META} = { url: require('node:url').pathToFileURL(__filename).href, filename: __filename, dirname: __dirname, env: process.env };${outputText}`
}

/** The compiler options of a file, by its nearest tsconfig.json or one that this refers to. */
function optionsBy(typescript: typeof ts): (file: string) => ts.CompilerOptions {
  const byFolder = new Map<string, ts.CompilerOptions>()
  return (file) => {
    const folder = dirname(file)
    const known = byFolder.get(folder) ?? optionsIn(typescript, folder)
    byFolder.set(folder, known)
    return known
  }
}

function optionsIn(typescript: typeof ts, folder: string): ts.CompilerOptions {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = typescript
  const own = configuredIn(typescript, folder)
  return {
    ...own,
    target: ScriptTarget.ES2022,
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.Bundler,
    // Else a property without a value would hide what a decorator defines.
    useDefineForClassFields: own.experimentalDecorators ? false : (own.useDefineForClassFields ?? true),
    allowJs: true,
    resolveJsonModule: true,
    esModuleInterop: true,
    isolatedModules: true,
    verbatimModuleSyntax: false,
    sourceMap: false,
    inlineSourceMap: false,
    declaration: false,
    noEmit: false,
  }
}

/** The options of the nearest tsconfig.json of a folder, or of one that this refers to. */
export function configuredIn(typescript: typeof ts, folder: string): ts.CompilerOptions {
  const file = typescript.findConfigFile(folder, typescript.sys.fileExists)
  return file ? parsed(typescript, file) : {}
}

function parsed(typescript: typeof ts, file: string, depth = 0): ts.CompilerOptions {
  const { config = {} } = typescript.readConfigFile(file, typescript.sys.readFile)
  const { options, projectReferences = [] } = typescript.parseJsonConfigFileContent(
    config,
    { ...typescript.sys, readDirectory: () => [] },
    dirname(file),
    undefined,
    file,
  )
  if (options.paths || depth > 2) return options
  const referred = projectReferences.map(({ path }) =>
    parsed(typescript, path.endsWith('.json') ? path : join(path, 'tsconfig.json'), depth + 1),
  )
  return referred.find(({ paths }) => paths) ?? options
}
