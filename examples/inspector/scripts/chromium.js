import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * The browser for the page's tests: the one in SNOFLAX_CHROMIUM, else one in the PATH.
 *
 * @returns {Promise<string | undefined>}
 */
export async function findChromium() {
  const named = process.env['SNOFLAX_CHROMIUM']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  for (const path of folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))) {
    if (await isExecutable(path)) return path
  }
  return undefined
}

const isExecutable = (/** @type {string} */ path) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
