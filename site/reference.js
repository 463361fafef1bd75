import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, manifestOf, PACKAGES } from '../scripts/packages.js'

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
  return names.map(folderOf)
}

/** Links the modules on that page, which TypeDoc can't link from a page of ours. @param {string} folder of the reference */
export function linkModules(folder) {
  const file = join(folder, 'index.html')
  const linked = readFileSync(file, 'utf8').replaceAll(
    /<strong>((?:@snoflax\/)?[\w-]+)<\/strong>/g,
    (_, module) => `<a href="modules/${module.replaceAll(/[@/]/g, '_')}.html">${module}</a>`,
  )
  writeFileSync(file, linked)
}
