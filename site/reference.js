import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestOf, PACKAGES } from '../scripts/packages.js'

/**
 * Writes the start page of the reference, a sentence for each module, and returns the modules' folders.
 * @param {readonly string[]} first the packages in their order; new ones follow
 */
export function describeModules(first) {
  const names = [...first, ...PACKAGES.filter((name) => !first.includes(name))]
  const rows = names.map((name) => {
    const { name: module, description } = manifestOf(name)
    return `- **${module}**: ${description}.`
  })
  const page = `# Reference\n\nEvery function and type, with an example each. To learn how to use them, start with the guides.\n\n${rows.join('\n')}\n`
  writeFileSync(join(import.meta.dirname, 'pages/reference.md'), page)
  return names.map((name) => `packages/${name}`)
}
