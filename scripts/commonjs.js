// Writes each package's CommonJS to cjs/, beside the ES modules that `tsc -b` wrote to dist/: the same files at the same
// depth, so relative paths and declarations, with their maps, stay valid as they are.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript'
import { PACKAGES } from './packages.js'

const FOLDER = join(import.meta.dirname, '../packages')

const changed = (/** @type {string} */ path) => statSync(path).mtimeMs

for (const name of PACKAGES) {
  const at = (/** @type {string} */ path) => join(FOLDER, name, path)
  const mark = at('cjs/package.json')
  if (
    existsSync(mark) &&
    changed(mark) > Math.max(changed(at('dist/.tsbuildinfo')), changed(import.meta.filename))
  )
    continue
  rmSync(at('cjs'), { recursive: true, force: true })
  for (const path of readdirSync(at('src'), { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.ts')) write(at, path.slice(0, -'.ts'.length))
  }
  writeFileSync(mark, '{ "type": "commonjs" }\n')
}

/** @param {(path: string) => string} at @param {string} file below src, without its extension */
function write(at, file) {
  // .cts means CommonJS that keeps import(), which loads optional drivers and the user's own modules.
  const { outputText, sourceMapText } = ts.transpileModule(readFileSync(at(`src/${file}.ts`), 'utf8'), {
    fileName: 'module.cts',
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, sourceMap: true },
  })
  const code = outputText
    .replaceAll('import.meta.url', "require('node:url').pathToFileURL(__filename).href")
    .replace('module.cjs.map', `${basename(file)}.js.map`)
  const { sources } = JSON.parse(readFileSync(at(`dist/${file}.js.map`), 'utf8'))
  const map = { ...JSON.parse(/** @type {string} */ (sourceMapText)), file: `${basename(file)}.js`, sources }

  mkdirSync(dirname(at(`cjs/${file}`)), { recursive: true })
  writeFileSync(at(`cjs/${file}.js`), code)
  writeFileSync(at(`cjs/${file}.js.map`), JSON.stringify(map))
  writeFileSync(at(`cjs/${file}.d.ts`), declarationsFrom(readFileSync(at(`dist/${file}.d.ts`), 'utf8')))
  cpSync(at(`dist/${file}.d.ts.map`), at(`cjs/${file}.d.ts.map`))
}

/** Declarations of CommonJS have to say which types come from packages with ES modules only. @param {string} declarations */
function declarationsFrom(declarations) {
  return declarations.replaceAll(
    /import (?:type )?(\{[^}]*\}|\* as \w+) from '(arktype|kysely|typebox)';/g,
    (_, names, name) =>
      `import type ${names.replaceAll(/\btype /g, '')} from '${name}' with { 'resolution-mode': 'import' };`,
  )
}
