import { spawnSync } from 'node:child_process'

const FOLDERS = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }
const shell = new URL(`node_modules/hermes-engine-cli/${FOLDERS[process.platform]}/hermes`, import.meta.url)
const { status } = spawnSync(shell.pathname, ['-w', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
