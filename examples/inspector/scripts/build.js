import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The folder in which the page is built. */
export const PAGE = at('dist/site')
/** The folder of a package's build. @param {string} name */
const buildOf = (name) => dirname(fileURLToPath(import.meta.resolve(name)))

/**
 * Builds the page from tsc's output and the packages' own builds. Nothing is bundled.
 *
 * @returns {Promise<string>} the folder, for any web server
 */
export async function build() {
  await rm(PAGE, { recursive: true, force: true })
  await mkdir(PAGE, { recursive: true })
  for (const name of ['core', 'families']) await copyModules(buildOf(`@snoflax/${name}`), `${PAGE}/${name}`)
  await copyModules(at('dist'), PAGE)
  for (const file of ['index.html', 'style.css']) await cp(at(file), `${PAGE}/${file}`)
  return PAGE
}

/**
 * @param {string} from
 * @param {string} to
 */
async function copyModules(from, to) {
  for (const entry of await readdir(from, { withFileTypes: true, recursive: true })) {
    const path = `${entry.parentPath}/${entry.name}`
    if (!entry.isFile() || !entry.name.endsWith('.js') || path.startsWith(PAGE)) continue
    await cp(path, path.replace(from, to))
  }
}

if (basename(process.argv[1] ?? '') === 'build.js') console.log(await build())
