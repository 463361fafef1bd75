// Builds the site: static files in docs/site, and opens it in Chromium where there is one.
import { spawnSync } from 'node:child_process'
import { withPnpm } from '../scripts/pnpm.js'

const steps = [
  ['npx', ...withPnpm('pnpm install --frozen-lockfile')],
  ['node', 'stage.js'],
  ['node', 'node_modules/vitepress/bin/vitepress.js', 'build'],
  // The reference goes into the site, which VitePress has emptied before.
  ['npx', 'typedoc', '--options', '../typedoc.config.js'],
  ['node', '--eval', "import('./reference.js').then((page) => page.linkModules('../docs/site/api'))"],
  ['node', 'look.js'],
]
for (const [command = '', ...args] of steps) {
  const { status } = spawnSync(command, args, { cwd: import.meta.dirname, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
console.log('site: built in docs/site; look at it: npm run docs:serve')
