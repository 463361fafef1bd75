// Packs every package, and fails on problems that are-the-types-wrong finds in any entry under any resolution (node10, node16 from
// CommonJS and ES modules, bundler), or publint in the tarball.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packAll } from './packed.js'

const folder = mkdtempSync(join(tmpdir(), 'snoflax-packed-'))
process.on('exit', () => rmSync(folder, { recursive: true }))

for (const [name, path] of packAll(folder)) {
  const tarball = Uint8Array.from(readFileSync(path))
  const types = await checkPackage(createPackageFromTarballData(tarball))
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: tarball.buffer } })
  const problems = [
    ...(types.types ? types.problems : ['no types']).map((problem) => JSON.stringify(problem)),
    ...messages.map((message) => formatMessage(message, pkg)),
  ]
  for (const problem of problems) console.error(`${name}: ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
