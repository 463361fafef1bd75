import { createTwoFilesPatch } from 'diff'

/** A key or a foreign key, or what a person has to do. */
export interface Finding {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** `users.id`, as the source names it. */
  readonly name: string
  readonly text: string
}

/** The keys that a column has stored so far. */
export interface Stored {
  /** What generated them: `cuid2`. */
  readonly kind: string
  /** The pattern of a whole key, without anchors. */
  readonly pattern: string
  /** What stands before the `_` of each, if new ids can have it too. */
  readonly prefix?: string | undefined
}

export interface Wanted {
  /** Patterns of keys, by generator, by key (`users.id`), or for `given`: those that the application passes. */
  readonly accept: ReadonlyMap<string, string>
  /** Whether any text is accepted, as the fixed labels of tests. */
  readonly labels: boolean
  readonly branded: boolean
}

/** What was found in the files, and the edits that adopt it. */
export class Findings {
  readonly keys: Finding[] = []
  readonly references: Finding[] = []
  readonly left: Finding[] = []
  readonly next = new Set<string>()
  readonly edits = new Map<string, Edit[]>()

  constructor(readonly wanted: Wanted) {}

  leave({ file, line, name }: Omit<Finding, 'text'>, text: string): undefined {
    this.left.push({ file, line, name, text })
  }

  edit(file: string, ...edits: readonly Edit[]): void {
    this.edits.set(file, [...(this.edits.get(file) ?? []), ...edits])
  }

  /**
   * The keys that are stored, or what to do by hand.
   *
   * @param read the generator's name if it is not known; undefined if the application passes its keys.
   * @param isShared whether several tables have the column, so that the name says nothing about it.
   */
  storedIn(
    name: string,
    read: Stored | string | undefined,
    isUuid: boolean,
    isShared = false,
  ): Stored | string {
    const maker = read === undefined ? 'given' : typeof read === 'string' ? read : name
    const described = [name, maker].find((one) => this.wanted.accept.has(one))
    if (described) return { kind: described, pattern: this.wanted.accept.get(described) as string }
    const ask = (what: string, ...names: readonly string[]): string =>
      `${what}: describe the keys that are stored by ${names.map((one) => `--accept '${one}=<pattern>'`).join(' or ')}`
    if (read === undefined) return ask('the application passes its keys, so it stays as it is', name, maker)
    if (typeof read === 'string') return ask(`${read} makes its keys, which is not known`, maker)
    if (isUuid && read.kind !== 'uuid')
      return `${read.kind} in a column of type uuid: only versions 4 and 7 can stay there`
    if (isShared || !SECRETS.test(name)) return read
    return `its keys may be secrets, which ids are not, so it stays as it is; --accept '${name}=${read.pattern}' if they are none`
  }

  /** The regular expression of whole keys, as a source has it, without quotes: `/^[\w-]{21}$/`. */
  literalOf(pattern: string): string {
    const { source } = new RegExp(`^${this.wanted.labels ? '.+' : pattern}$`)
    return `/${source.replaceAll("'", '\\x27')}/`
  }

  /** Options of a column that keeps these keys, in TypeScript. `text` columns can also hold the labels of tests. */
  optionsFor({ pattern, prefix }: Stored, text: boolean, onMismatch: boolean): string[] {
    const { branded } = this.wanted
    return [
      ...(prefix ? [`prefix: '${prefix}'`] : []),
      // Only families of uuids leave a column a native uuid.
      `accept: ${text ? this.literalOf(pattern) : 'uuid7.withVersion4()'}`,
      ...(text && onMismatch ? ["onMismatch: 'notFound'"] : []),
      ...(branded ? [] : ['branded: false']),
    ]
  }
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

export const STORED = {
  cuid: () => ({ kind: 'cuid', pattern: 'c[a-z0-9]{24}' }),
  cuid2: (length = 24) => ({ kind: 'cuid2', pattern: `[a-z][a-z0-9]{${length - 1}}` }),
  nanoid: (length = 21) => ({ kind: 'nanoid', pattern: `[\\w-]{${length}}` }),
  uuid: () => ({ kind: 'uuid', pattern: UUID }),
  ulid: () => ({ kind: 'ulid', pattern: '[0-7][0-9A-HJKMNP-TV-Z]{25}' }),
  alphabet: (letters: string, length: number) => ({
    kind: 'customAlphabet',
    pattern: `[${letters.replace(/[\]\\^-]/g, '\\$&')}]{${length}}`,
  }),
} satisfies Record<string, (...given: never[]) => Stored>

export const TAKEN = 'already is another name in this file: rename that, and run the command again'

export const NUMBERS =
  'a number: it can stay as it is; snoflax adopt replaces it, row by row, in a running database'

/** Tables whose keys open something, often. */
const SECRETS = /^[^.]*(?:session|token|secret|verif|invit|reset|magic|nonce)/i

/** A part of a file, by its offsets, and the text that replaces it. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text after its edits. They may touch, but not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let [result, at] = ['', 0]
  const inOrder = [...edits].sort((one, other) => one.start - other.start || one.end - other.end)
  for (const edit of inOrder) {
    if (edit.start < at) throw new Error(`edits overlap at ${edit.start}: ${edit.text}`)
    result += text.slice(at, edit.start) + edit.text.replaceAll('\n', lineEnd)
    at = edit.end
  }
  return result + text.slice(at)
}

/** The edits as `git apply` and `patch` read them: lines without their ends. */
export const unifiedDiff = (path: string, text: string, edits: readonly Edit[]): string[] =>
  createTwoFilesPatch(`a/${path}`, `b/${path}`, text, applyEdits(text, edits), undefined, undefined, {
    context: 3,
  })
    .split('\n')
    .slice(1, -1)
