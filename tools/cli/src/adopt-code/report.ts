import type { Colour, Terminal } from '../terminal.js'
import type { Answer } from './database.js'
import { unifiedDiff } from './edits.js'
import type { Finding, Findings } from './findings.js'

interface Told {
  readonly findings: Findings
  readonly texts: ReadonlyMap<string, string>
  /** Undefined if no database was asked. */
  readonly answer: Answer | undefined
  readonly leftovers: readonly string[]
  readonly isWritten: boolean
}

const GUESSED =
  'guessed from the source: which keys are stored only your database knows; ask it: snoflax adopt code --url "$DATABASE_URL"'

const COLOURS: Readonly<Record<string, Colour>> = { '+': 'green', '-': 'red' }

const diffOf = ({ findings, texts }: Told): string[] =>
  [...findings.edits].flatMap(([file, edits]) => unifiedDiff(file, texts.get(file) as string, edits))

/** `48 tables, 60 keys, 133 references: 186 changed, 7 left, 0 not understood` */
function countsOf({ counts: { tables, keys, references }, ...found }: Findings): string {
  const changed = found.keys.length + found.references.length
  const left = Math.max(0, keys + references - changed)
  const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`
  return `${many(tables, 'table')}, ${many(keys, 'key')}, ${many(references, 'reference')}: ${changed} changed, ${left} left, ${found.unread.length} not understood`
}

export function printJson(terminal: Terminal, told: Told): Promise<void> {
  const { findings, answer } = told
  const { keys, references, left, unread, notes, counts } = findings
  const diff = diffOf(told)
    .map((line) => `${line}\n`)
    .join('')
  const next = [...findings.next]
  const stored = answer && { stored: answer.columns, refused: answer.refused }
  return terminal.printJson({ counts, keys, references, left, unread, notes, ...stored, next, diff })
}

export async function printReport(terminal: Terminal, told: Told): Promise<void> {
  const { findings, answer, leftovers, isWritten } = told
  const title = (text: string, count: number): string => terminal.paint('bold', `${text}: ${count}`)
  const list = (text: string, found: readonly Finding[], arrow: string): string[] =>
    found.length === 0
      ? []
      : [
          title(text, found.length),
          ...found.map((one) => `  ${one.file}:${one.line}  ${one.name} ${arrow} ${one.text}`),
          '',
        ]
  if (!answer) await terminal.print([GUESSED, ''])
  await terminal.print([
    ...leftovers.map((file) => `${file} was left by a run that was killed; --write removes it`),
    ...(answer ? [title('stored keys', answer.columns.length)] : []),
    ...(answer?.columns ?? []).map(({ name, text }) => `  ${name}: ${text}`),
    ...(answer ? [''] : []),
    ...list('keys', findings.keys, 'stores'),
    ...list('foreign keys', findings.references, '→'),
    ...list('look at', findings.notes, '—'),
  ])
  const diff = diffOf(told)
  await terminal.print([
    ...diff.map((line) => {
      const colour = /^(?:---|\+\+\+|@@)/.test(line) ? 'cyan' : COLOURS[line[0] ?? '']
      return colour ? terminal.paint(colour, line) : line
    }),
    '',
  ])
  await terminal.print([
    ...grouped(title, 'left to do by hand', findings.left),
    ...grouped(title, 'not understood', findings.unread),
    ...(answer?.refused ?? []).map((one) => terminal.paint('red', one)),
    countsOf(findings),
    ...[...findings.next].map((one) => `next: ${one}`),
    diff.length === 0
      ? 'nothing to change'
      : isWritten
        ? 'written'
        : 'nothing was changed; --write changes the files',
    ...(answer ? [] : [GUESSED]),
  ])
}

/** What several places have in common, once. */
function grouped(
  title: (text: string, count: number) => string,
  heading: string,
  found: readonly Finding[],
): string[] {
  if (found.length === 0) return []
  const by = new Map<string, Finding[]>()
  for (const one of found) {
    const text = one.text.replaceAll(one.name, '<key>')
    by.set(text, [...(by.get(text) ?? []), one])
  }
  const lines = [...by].flatMap(([text, all]) => {
    const [first] = all as [Finding]
    if (all.length === 1) return `  ${first.file}:${first.line}  ${first.name} — ${first.text}`
    return [`  ${all.length} times: ${text}`, ...all.map((one) => `    ${one.file}:${one.line}  ${one.name}`)]
  })
  return [title(heading, found.length), ...lines, '']
}
