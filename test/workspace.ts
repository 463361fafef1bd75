import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file or folder of the repository. */
export const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const packageFolders: readonly string[] = readdirSync(at('packages'))

/** The packages that bring an adapter of the contract. */
export const ormFolders: readonly string[] = packageFolders.filter((name) =>
  existsSync(at(`packages/${name}/test/contract/adapter.ts`)),
)

/** The heading on the root page whose section ends by leading to the page of the package. */
export function headingOf(folder: string): string {
  const page = readFileSync(at('README.md'), 'utf8')
  const section = page.split(/^## /m).find((text) => text.includes(`\nMore: [@snoflax/${folder}](`))
  if (section === undefined) throw new Error(`README.md has no section that leads to packages/${folder}`)
  return section.split('\n')[0] as string
}
