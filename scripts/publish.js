// Publishes the packed packages of a folder whose versions the registry lacks: `node scripts/publish.js FOLDER`, with
// --dry-run to look first. Needs no more than Node, npm and tar: the job that may publish installs nothing else.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** @param {string} command @param {readonly string[]} args @param {string} [cwd] */
export const answer = (command, args, cwd) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  return { isDone: status === 0, output: `${stdout ?? ''}`.trim(), problem: error?.message ?? `${stderr}` }
}

/** @param {string} command @param {readonly string[]} args @param {string} [cwd] */
export const run = (command, args, cwd) => {
  const { isDone, output, problem } = answer(command, args, cwd)
  if (!isDone) throw new Error(`${command} ${args.join(' ')} failed: ${problem}${output}`)
  return output
}

/** @param {string} folder of tarballs @param {{ isDry: boolean, isLocal?: boolean }} how */
export function publishAll(folder, { isDry, isLocal = false }) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (files.length === 0) throw new Error(`publish: ${folder} has no packed packages`)
  for (const file of files) {
    const tarball = join(resolve(folder), file)
    const { name, version, publishConfig } = JSON.parse(
      run('tar', ['-xzOf', tarball, 'package/package.json']),
    )
    if (answer('npm', ['view', `${name}@${version}`, 'version']).output === version) {
      console.log(`${name}@${version} is already published`)
      continue
    }
    const flags = [...(isDry ? ['--dry-run'] : []), ...(isLocal ? ['--provenance=false'] : [])]
    // npm announces `latest` for a tarball, whatever tag its manifest names.
    const { tag = 'latest' } = publishConfig
    run('npm', ['publish', tarball, '--access=public', '--ignore-scripts', `--tag=${tag}`, ...flags])
    console.log(`${name}@${version} ${isDry ? 'would be published' : 'published'} as ${tag}`)
  }
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  if (folder === undefined) throw new Error('publish: name the folder of the packed packages')
  publishAll(folder, { isDry: process.argv.includes('--dry-run') })
}
