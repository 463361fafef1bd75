import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  accepting,
  flake,
  flax,
  type IdFamily,
  prefixed,
  sno,
  typeid,
  ulid,
  uuid7,
  uuid7or4,
} from '@snoflax/core'
import { discord, twitter, uid, uidLocal } from '@snoflax/families'
import { generateSealKey, seal } from '@snoflax/seal'
import { expect, test } from 'vitest'
import { findChromium } from '../examples/inspector/scripts/chromium.js'

const executable = await findChromium()
if (!executable)
  console.log('input pattern: no Chromium selected (none in PATH, and SNOFLAX_CHROMIUM names none)')

const families: readonly IdFamily[] = [
  flax,
  sno,
  flake,
  uid,
  uidLocal,
  uuid7,
  uuid7or4,
  ulid,
  twitter,
  discord,
]
const seals = [flax, prefixed(flax, 'cus'), uuid7].map((family) =>
  seal(family as IdFamily, { keys: generateSealKey() }),
)
const FIELDS = [
  ...[...families, ...families.map((family) => prefixed(family, 'cus')), typeid('user')].map(
    ({ pattern, min }) => [pattern.source, min] as const,
  ),
  [accepting(flax, /[\w-]{21}/).pattern.source, 'V1StGXR8_Z5jdHi6B-myT'] as const,
  ...seals.map(({ family, pattern, seal }) => [pattern.source, seal(family.min)] as const),
]

/** The page's own script writes what its fields say of an id and of "x". */
const PAGE = `<!doctype html><title>fields</title><body><script>
const fields = ${JSON.stringify(FIELDS)}
document.title = JSON.stringify(fields.map(([pattern, id]) => {
  const field = Object.assign(document.createElement('input'), { pattern })
  document.body.append(field)
  return [id, 'x'].map((value) => Object.assign(field, { value }).checkValidity())
}))
</script>`

test.skipIf(!executable)(
  'Chromium checks an <input> by the pattern of each family and seal',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snoflax-input-'))
    try {
      const page = join(folder, 'page.html')
      await writeFile(page, PAGE)
      const flags = ['--headless', '--no-sandbox', `--user-data-dir=${join(folder, 'profile')}`, '--dump-dom']
      const url = pathToFileURL(page).href
      const { stdout } = await promisify(execFile)(executable as string, [...flags, url], {
        timeout: 120_000,
      })
      const [, title] = /<title>(.*)<\/title>/.exec(stdout) ?? []
      expect(JSON.parse(title as string)).toEqual(FIELDS.map(() => [true, false]))
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  150_000,
)
