// Loads two copies of the package, and tells what they have in common.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as one from '@snoflax/core'

const dist = fileURLToPath(new URL('.', import.meta.resolve('@snoflax/core')))
const folder = mkdtempSync(join(tmpdir(), 'snoflax-copy-'))
cpSync(dist, join(folder, 'dist'), { recursive: true })
cpSync(join(dist, '../package.json'), join(folder, 'package.json'))
const two = await import(pathToFileURL(join(folder, 'dist/index.js')).href)
rmSync(folder, { recursive: true })

const inTurns = (a, b) => Array.from({ length: 10_000 }, (_, i) => (i % 2 ? a() : b()))
const isAscending = (ids) => ids.every((id, i) => i === 0 || id > ids[i - 1])
const thrownBy = (call) => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

const error = thrownBy(() => two.flax.parse('?'))
const partitions = [one.sno, two.sno, one.sno, two.sno].map((sno) => sno.generator().partition)
process.stdout.write(
  JSON.stringify({
    isAnother: one.flax !== two.flax,
    monotonic: isAscending(inTurns(one.flax.monotonic.generate, two.flax.monotonic.generate)),
    sno: isAscending(inTurns(one.sno.generate, two.sno.generate)),
    partitions: new Set(partitions).size,
    error: [error instanceof one.IdError, error.constructor === one.IdError, error instanceof two.IdError],
    family: one.isSameFamily(one.flake, two.flake),
  }),
)
