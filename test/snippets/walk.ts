/** One step of a page that a reader follows: a file to write, or commands to run. */
export type Step =
  | { readonly file: string; readonly code: string }
  | {
      readonly commands: readonly string[]
      /** What the page says that the last command prints. */
      readonly output: string | undefined
    }

const BLOCK = /^```(\w+)\n([\s\S]*?)^```/gm
const FILE = /[\w./-]+\.(?:ts|mjs|sql|prisma)\b/g

/** The steps of a page, in order. A file is named by the paragraph above its block, which ends with a colon. */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  for (const { 1: language, 2: code = '', index } of page.matchAll(BLOCK)) {
    const [before = ''] = page.slice(0, index).trimEnd().split('\n\n').slice(-1)
    const file = before.endsWith(':') ? before.match(FILE)?.at(-1) : undefined
    if (language === 'sh') steps.push({ commands: code.trim().split('\n'), output: undefined })
    else if (language === 'text')
      steps.push({ ...(steps.pop() as Step & { commands: string[] }), output: code })
    else if (file === undefined) throw new Error(`no file is named above:\n${code}`)
    else steps.push({ file, code })
  }
  return steps
}

/** The text without what differs from run to run: random parts of ids, and times. */
export const steady = (text: string): string =>
  text
    .replaceAll(/\b(cus|ord)_[\w-]{16}/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .trim()
