// Writes what a package publishes, from the ES modules and declarations that `tsc -b` wrote to dist/: one file per entry
// as an ES module in esm/ and as CommonJS in cjs/, with files that entries share beside them, and the declarations of
// CommonJS. Entries load in a fraction of the time that many small files take.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { folderOf, PACKAGES } from './packages.js'

const root = join(import.meta.dirname, '..')

const changed = (/** @type {string} */ path) => statSync(path).mtimeMs

for (const name of PACKAGES) {
  const at = (/** @type {string} */ path) => join(root, folderOf(name), path)
  // A demo or a bench builds only what it imports.
  if (!existsSync(at('dist/.tsbuildinfo'))) continue
  const mark = at('cjs/package.json')
  const sources = [at('dist/.tsbuildinfo'), at('package.json'), import.meta.filename]
  if (existsSync(mark) && changed(mark) > Math.max(...sources.map(changed))) continue
  for (const kind of ['esm', 'cjs']) rmSync(at(kind), { recursive: true, force: true })
  await bundle(name, at)
  for (const file of readdirSync(at('dist'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.d.ts')) writeDeclarations(at, file)
  writeFileSync(mark, '{ "type": "commonjs" }\n')
}

/** @param {string} name @param {(path: string) => string} at */
async function bundle(name, at) {
  /** @type {{ exports: Record<string, { import?: { default: string } }> }} */
  const { exports } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap(({ import: entry }) => {
    if (entry === undefined) return []
    const [, path] = /^\.\/esm\/(.*)\.js$/.exec(entry.default) ?? []
    if (path) return [path]
    throw new Error(`${name}: package.json must export ./esm/….js, not ${entry.default}`)
  })
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, at(`dist/${entry}.js`)])),
    // All that is not a path of the package's own.
    external: /^[^./]/,
    platform: 'node',
    onLog(_, { message }) {
      throw new Error(message)
    },
  })
  for (const format of /** @type {const} */ (['esm', 'cjs'])) {
    await bundled.write({
      dir: at(format),
      format,
      entryFileNames: '[name].js',
      // At the depth of src/*.ts, so that paths relative to these stay valid.
      chunkFileNames: '[name]-shared.js',
      // What entries share is one file.
      codeSplitting: { groups: [{ name: 'entries', minShareCount: 2 }] },
      comments: { annotation: true, legal: true, jsdoc: false },
    })
  }
  await bundled.close()
}

/**
 * Declarations of CommonJS have to say which types come from packages with ES modules only.
 *
 * @param {(path: string) => string} at
 * @param {string} file
 */
function writeDeclarations(at, file) {
  const declarations = readFileSync(at(`dist/${file}`), 'utf8')
    .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
    .replaceAll(
      /import (?:type )?(\{[^}]*\}|\* as \w+) from '(arktype|kysely|typebox|@mikro-orm\/core)';/g,
      (_, names, name) =>
        `import type ${names.replaceAll(/\btype /g, '')} from '${name}' with { 'resolution-mode': 'import' };`,
    )
  mkdirSync(dirname(at(`cjs/${file}`)), { recursive: true })
  writeFileSync(at(`cjs/${file}`), declarations)
}
