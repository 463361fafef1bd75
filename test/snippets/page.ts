/** Blocks of code on a page, in order. The language may be a pattern. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code as string,
  )

/** The text from a heading of the second level to the next one. */
export function section(page: string, heading: string): string {
  const [, below] = page.split(`\n## ${heading}\n`)
  if (below === undefined) throw new Error(`The page has no "${heading}"`)
  return below.split('\n## ')[0] as string
}
