/** A block of a Prisma schema, by the offsets of its text. */
export interface Block {
  /** `model`, `view`, `generator`, `datasource` … */
  readonly kind: string
  readonly name: string
  readonly start: number
  /** Behind its closing brace. */
  readonly end: number
  /** Where the lines of its fields and settings begin, by their names. */
  readonly fields: ReadonlyMap<string, number>
}

/** The blocks of a schema, whose syntax Prisma has checked. */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let [open, at]: [(Block & { fields: Map<string, number> }) | undefined, number] = [undefined, 0]
  let isComment = false
  for (const line of text.split('\n')) {
    const [first = '', second = ''] = line.trim().split(/[\s=]+/)
    if (isComment || first.startsWith('/*')) isComment = !line.includes('*/')
    else if (open && first.startsWith('}')) {
      blocks.push({ ...open, end: at + line.indexOf('}') + 1 })
      open = undefined
    } else if (open) {
      if (/^\w+$/.test(first) && !open.fields.has(first)) open.fields.set(first, at)
    } else if (/^[a-z]+$/.test(first) && line.includes('{')) {
      open = { kind: first, name: second.replace('{', ''), start: at, end: at, fields: new Map() }
    }
    at += line.length + 1
  }
  return blocks
}

/** A text among the settings of a generator. */
export function settingOf(text: string, { kind, fields }: Block, name: string): string | undefined {
  const at = kind === 'generator' ? fields.get(name) : undefined
  return at === undefined ? undefined : text.slice(at).split('\n', 1)[0]?.split('"')[1]
}

/** Whether it is the generator of Prisma's client. */
export const isClient = (text: string, block: Block): boolean =>
  ['prisma-client', 'prisma-client-js'].includes(settingOf(text, block, 'provider') ?? '')
