// Packs the packages that a project needs, and prints the line that installs them: npm run try -- ../your-project drizzle
import { execSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { folderOf, manifestOf, PACKAGES } from './packages.js'
import { packAll } from './packed.js'

const root = join(import.meta.dirname, '..')
const [project = '', ...wanted] = process.argv.slice(2)

/** Names as people say them: `prisma` is prisma-extension. */
const nameOf = (/** @type {string} */ name) =>
  PACKAGES.find((one) => one === name || manifestOf(one).name === name || one === `${name}-extension`)

const unknown = wanted.filter((name) => nameOf(name) === undefined)
if (project === '' || wanted.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`try: no package ${unknown.join(', ')}`)
  console.error(
    `usage: npm run try -- FOLDER PACKAGE …, such as ../your-project drizzle snoflax\n${PACKAGES.join(' ')}`,
  )
  process.exit(2)
}
if (!existsSync(join(project, 'package.json'))) {
  console.error(`try: ${resolve(project)} has no package.json; run npm init there first`)
  process.exit(2)
}

const needed = new Set(['@snoflax/core'])
const add = (/** @type {string} */ short) => {
  const { name, dependencies, peerDependencies, peerDependenciesMeta } = manifestOf(short)
  needed.add(name)
  const optional = (/** @type {string} */ one) => peerDependenciesMeta?.[one]?.optional
  for (const one of Object.keys({ ...dependencies, ...peerDependencies })) {
    // By its full name: typeorm is not @snoflax/typeorm.
    const ours = PACKAGES.find((other) => manifestOf(other).name === one)
    if (ours !== undefined && !optional(one) && !needed.has(one)) add(ours)
  }
}
for (const name of wanted) add(/** @type {string} */ (nameOf(name)))

// What `npm run build` builds, without tests, examples and benchmarks.
const sources = PACKAGES.map((name) => `${folderOf(name)}/tsconfig.src.json`).join(' ')
for (const command of [
  'npm run -s setup',
  `npx tsc -b ${sources}`,
  'node scripts/bundle.js',
  'npm run -s sql',
  'node packages/pg-sql/scripts/extension.js',
])
  execSync(command, { cwd: root, stdio: 'inherit' })

const folder = join(root, 'tarballs')
mkdirSync(folder, { recursive: true })
const tarballs = packAll(folder)
const paths = [...needed].map((name) =>
  relative(resolve(project), /** @type {string} */ (tarballs.get(name))),
)
console.log(`cd ${project}\nnpm install ${paths.join(' ')}`)
