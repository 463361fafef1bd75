import type { Colour, Terminal } from '../terminal.js'
import { unifiedDiff } from './edits.js'
import type { Adopted, Open, Outcome } from './project.js'

const UNCOMPARED =
  'not compared with stored keys: pass --url "$DATABASE_URL". A stored key that a definition doesn\'t take would be refused in writes'

const COLOURS: Readonly<Record<string, Colour>> = { '+': 'green', '-': 'red' }

const diffOf = ({ edits, texts }: Outcome): string[] =>
  [...edits].flatMap(([file, own]) => unifiedDiff(file, texts.get(file) as string, own))

/** `48 tables, 60 keys, 133 references: 186 adopted, 5 are ids already, 2 left` */
function countsOf({ counts }: Outcome): string {
  const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`
  const { tables, keys, references, adopted, done, kept, left } = counts
  return `${many(tables, 'table')}, ${many(keys, 'key')}, ${many(references, 'reference')}: ${adopted} adopted, ${done} ids already, ${kept} kept as they are, ${left} left to do by hand`
}

export function printJson(terminal: Terminal, outcome: Outcome, isWritten: boolean): Promise<void> {
  const { adopted, kept, left, failures, stored, next, faults, missing, counts } = outcome
  const diff = diffOf(outcome)
    .map((line) => `${line}\n`)
    .join('')
  return terminal.printJson({
    counts,
    adopted,
    kept,
    left,
    failures,
    ...(stored && { stored }),
    checked: outcome.edits.size > 0 && missing === undefined && faults.length === 0,
    ...(missing !== undefined && { missing }),
    faults,
    written: isWritten,
    next,
    diff,
  })
}

export async function printReport(terminal: Terminal, outcome: Outcome, isWritten: boolean): Promise<void> {
  const { adopted, kept, left, failures, stored, next, faults, missing, leftovers } = outcome
  const title = (text: string, count: number): string => terminal.paint('bold', `${text}: ${count}`)
  const place = ({ file, line }: Pick<Open, 'file' | 'line'>): string =>
    line === undefined ? file : `${file}:${line}`
  const list = (text: string, found: readonly Adopted[], arrow: string): string[] =>
    found.length === 0
      ? []
      : [
          title(text, found.length),
          ...found.map((one) => `  ${place(one)}  ${one.name} ${arrow} ${one.text}`),
          '',
        ]
  await terminal.print([
    ...(stored ? [] : [UNCOMPARED, '']),
    ...leftovers.map((file) => `${file} was left by a run that was killed; --write removes it`),
    ...(stored ? [title('compared with stored keys', stored.length)] : []),
    ...(stored ?? []).map(
      ({ name, rows, isStopped, others, unknown }) =>
        `  ${name}: ${unknown ?? `${rows.toLocaleString('en')} rows${isStopped ? ' and more' : ''}, ${others} of another form`}`,
    ),
    ...(stored ? [''] : []),
    ...list(
      'keys',
      adopted.filter(({ kind }) => kind === 'key'),
      '=',
    ),
    ...list(
      'foreign keys',
      adopted.filter(({ kind }) => kind === 'reference'),
      '→',
    ),
  ])
  const diff = diffOf(outcome)
  await terminal.print([
    ...diff.map((line) => {
      const colour = /^(?:---|\+\+\+|@@)/.test(line) ? 'cyan' : COLOURS[line[0] ?? '']
      return colour ? terminal.paint(colour, line) : line
    }),
    '',
  ])
  const grouped = (text: string, found: readonly Open[]): string[] => {
    if (found.length === 0) return []
    const by = groupedBy(found)
    const lines = [...by].flatMap(([reason, all]) => [
      `  ${reason}`,
      ...all.map((one) => `    ${place(one)}  ${one.name}`),
    ])
    return [title(text, found.length), ...lines, '']
  }
  await terminal.print([
    ...grouped('kept as they are', kept),
    ...grouped('left to do by hand', left),
    ...(failures.length > 0 ? [title('not loaded', failures.length)] : []),
    ...failures.map(({ file, reason }) => `  ${file}: ${reason}`),
    ...faults.map((fault) => terminal.paint('red', fault)),
    countsOf(outcome),
    ...next.map((one) => `next: ${one}`),
    missing !== undefined
      ? `not checked: ${missing} is not installed, so the application can't be loaded as it would be`
      : adopted.length > 0 && faults.length === 0
        ? 'checked: the schema stays as it is, and each default generates the same ids'
        : '',
    diff.length === 0
      ? 'nothing to change'
      : isWritten
        ? 'written'
        : 'nothing was changed; --write changes the files',
    ...(stored ? [] : [UNCOMPARED]),
  ])
}

function groupedBy(found: readonly Open[]): Map<string, Open[]> {
  const by = new Map<string, Open[]>()
  for (const one of found) by.set(one.reason, [...(by.get(one.reason) ?? []), one])
  return by
}
