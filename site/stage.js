// Gathers the pages of the repository for VitePress: READMEs become the index of their folder, and links follow.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { build as buildInspector } from '../examples/inspector/scripts/build.js'
import { withTargets } from '../scripts/markdown-links.js'
import { repositoryPage } from '../scripts/repository.js'
import { base } from './base.js'

const root = join(import.meta.dirname, '..')
const staged = join(import.meta.dirname, 'pages')
/** @param {readonly string[]} patterns of git, which leaves out what is not of the repository */
const files = (...patterns) =>
  spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .filter((path) => path !== '' && !/^(\.|test\/|site\/)/.test(path))

const pages = new Set(files('*.md'))
/** Tables that tests and benchmarks write, which the site has as they are. */
const data = new Set(files('bench/results/*.txt', 'docs/*.txt'))
const repository = repositoryPage()

/** Where a page of the repository stands in the site. @param {string} path */
const placeOf = (path) => {
  if (path === 'README.md') return 'overview.md'
  return path.replace(/README\.md$/, 'index.md')
}

/** @param {string} page @param {string} link */
function follow(page, link) {
  const [path = '', anchor] = link.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return hash
  const target = posix.normalize(posix.join(posix.dirname(page), path)).replace(/\/$/, '')
  const named = pages.has(target) ? target : posix.join(target, 'README.md')
  if (pages.has(named)) return `/${placeOf(named)}${hash}`
  if (data.has(target)) return `/${target}`
  if (!existsSync(join(root, target))) throw new Error(`${page} links to ${link}, which is not there`)
  const kind = statSync(join(root, target)).isDirectory() ? 'tree' : 'blob'
  // Without a repository's address there is nowhere to lead.
  return repository && `${repository}/${kind}/HEAD/${target}${hash}`
}

/** Results of tests and measurements, which say every word and answer few questions. */
const UNSEARCHED =
  /^(?:bench|fuzz|proof)\/|^docs\/(?:upstream\/|(?:maintaining|proof|neighbours|write-paths)\.md)|^(?:CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING)|\/test\//

/** How each package manager writes the commands of a block. @type {Readonly<Record<string, (line: string) => string>>} */
const MANAGERS = {
  npm: (line) => line,
  pnpm: (line) => line.replace(/^npm install/, 'pnpm add'),
  yarn: (line) => line.replace(/^npm install/, 'yarn add').replace('--save-dev', '--dev'),
  bun: (line) => line.replace(/^npm install/, 'bun add').replace('--save-dev', '--dev'),
}

/** Gives blocks that only install packages a tab for each package manager. @param {string} page */
const withTabs = (page) =>
  page.replaceAll(/^```sh\n((?:npm install .*@.*\n)+)```$/gm, (_, lines) =>
    [
      '::: code-group',
      ...Object.entries(MANAGERS).map(
        ([name, write]) => `\n\`\`\`sh [${name}]\n${lines.trim().split('\n').map(write).join('\n')}\n\`\`\``,
      ),
      '',
      ':::',
    ].join('\n'),
  )

rmSync(staged, { recursive: true, force: true })
for (const page of pages) {
  const target = join(staged, placeOf(page))
  mkdirSync(dirname(target), { recursive: true })
  const text = withTargets(readFileSync(join(root, page), 'utf8'), (link, isPicture) =>
    isPicture ? link : follow(page, link),
  )
  const search = UNSEARCHED.test(page) ? 'search: false\n' : ''
  writeFileSync(target, `---\nrepositoryPath: ${page}\n${search}---\n\n${withTabs(text)}`)
}
for (const picture of files('docs/*.png', 'docs/*.svg')) {
  cpSync(join(root, picture), join(staged, picture))
}
for (const table of data) cpSync(join(root, table), join(staged, 'public', table))
cpSync(join(import.meta.dirname, 'index.md'), join(staged, 'index.md'))
// For language models: the list of guides, and all pages in one text.
const guides = withTargets(readFileSync(join(root, 'docs/README.md'), 'utf8'), (link) =>
  (follow('docs/README.md', link) ?? '').replace(/^\//, base).replace(/\.md(?=#|$)/, '.html'),
)
writeFileSync(
  join(staged, 'public/llms.txt'),
  `# snoflax

> Ids such as cus_Kpcan0M1FakODT4k for TypeScript applications: they sort by creation time, have a prefix and a type for each table, and are the same in every ORM and inside the database.

Begin with [For your coding agent](${base}docs/coding-agent.html). All pages in one text: [llms-full.txt](${base}llms-full.txt)

#${guides}`,
)
const whole = [...pages].filter((page) => !UNSEARCHED.test(page)).sort()
writeFileSync(
  join(staged, 'public/llms-full.txt'),
  whole.map((page) => readFileSync(join(root, page), 'utf8')).join('\n\n---\n\n'),
)
const inspector = join(staged, 'public/inspector')
cpSync(await buildInspector(), inspector, { recursive: true })
const entry = join(inspector, 'index.html')
writeFileSync(
  entry,
  readFileSync(entry, 'utf8').replace(
    '<header>',
    `<nav>
      <a href="${base}"><img src="${base}logo.svg" alt="" />snoflax</a>
      <a href="${base}overview.html">Start</a>
      <a href="${base}docs/index.html">Guides</a>
      <a href="${base}api/index.html">Reference</a>
    </nav>
    <header>`,
  ),
)
cpSync(join(import.meta.dirname, 'icon.svg'), join(staged, 'public/logo.svg'))

console.log(`site: ${pages.size} pages`)
