// Builds the site: static files in docs/site.
import { spawnSync } from 'node:child_process'

const PNPM = 'pnpm@12.21.0'
const steps = [
  `npx --yes --package=${PNPM} --call="pnpm install --frozen-lockfile"`,
  `node stage.js`,
  `node node_modules/vitepress/bin/vitepress.js build`,
  // The reference goes into the site, which VitePress has emptied before.
  `npx typedoc --options ../typedoc.json`,
]
for (const step of steps) {
  const { status } = spawnSync(step, { cwd: import.meta.dirname, shell: true, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
