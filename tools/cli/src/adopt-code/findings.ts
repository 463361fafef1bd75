import { accepting, flax, IdError, prefixed } from '@snoflax/core'
import type { Edit } from './edits.js'
import { prefixOf, type Stored, union } from './shapes.js'

export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** `users.id`, as the source names it. */
  readonly name: string
}

/** A key or a foreign key, or what a person has to do. */
export interface Finding extends Place {
  readonly text: string
}

/** A key that the application passes itself, instead of letting the column generate it. */
export interface Passed extends Finding {
  /** Undefined if the source doesn't tell. */
  readonly stored?: Stored
}

/** A key or a foreign key, by what its source says of the database. */
export interface Asked {
  readonly name: string
  readonly table: string
  readonly column: string
  /** Key whose ids it holds; its own name for a key. */
  readonly key: string
  readonly isUuid: boolean
}

/** What a database stores in the column of a key and in those that refer to it. */
export interface InDatabase {
  readonly kinds: readonly Stored[]
  /** Shown keys that no pattern should take, and their number. */
  readonly odd: number
}

export interface Wanted {
  /** Patterns of keys, by generator, by key (`users.id`), or for `given`: those that the application passes. */
  readonly accept: ReadonlyMap<string, string>
  readonly branded: boolean
  /** By key. Undefined if no database was asked. */
  readonly database?: ReadonlyMap<string, InDatabase>
}

/** What a reader knows of a key. */
export interface Key {
  readonly name: string
  /** What generates it: its name if it is not known, undefined if the application passes it. */
  readonly made: Stored | string | undefined
  readonly isUuid: boolean
  /** Keys that are passed beside what is generated. */
  readonly passed: readonly Passed[]
}

/** What was found in the files, and the edits that adopt it. */
export class Findings {
  readonly keys: Finding[] = []
  readonly references: Finding[] = []
  readonly left: Finding[] = []
  /** What is in the files and was not read. */
  readonly unread: Finding[] = []
  /** Where keys are passed, and what will refuse new ids. */
  readonly notes: Finding[] = []
  readonly next = new Set<string>()
  readonly edits = new Map<string, Edit[]>()
  readonly asked: Asked[] = []
  readonly counts = { tables: 0, keys: 0, references: 0 }
  /** Kinds of keys that get others beside them, by key. */
  readonly replaced = new Map<string, { readonly stored: Stored; readonly isUuid: boolean }>()
  readonly #seen = new Set<string>()

  constructor(readonly wanted: Wanted) {}

  leave({ file, line, name }: Place, text: string): undefined {
    this.left.push({ file, line, name, text })
  }

  edit(file: string, ...edits: readonly Edit[]): void {
    this.edits.set(file, [...(this.edits.get(file) ?? []), ...edits])
  }

  /** Marks a part of a source that says what a key or a foreign key is, as read. */
  read(file: string, start: number): void {
    this.#seen.add(`${start} ${file}`)
  }

  isRead = (file: string, start: number): boolean => this.#seen.has(`${start} ${file}`)

  /** The keys that are stored, or what to do by hand. */
  storedIn({ name, made, isUuid, passed }: Key): Stored | string {
    const maker = made === undefined ? 'given' : typeof made === 'string' ? made : name
    const described = [name, maker].find((one) => this.wanted.accept.has(one))
    const shaped = `its keys may have the shape of flax ids, so they would get an invented time: narrow --accept '${name}=<pattern>', or declare it by hand, with another family or a prefix`
    if (described) {
      const pattern = this.wanted.accept.get(described) as string
      const stored = { kind: described, pattern, sample: '' }
      return !isUuid && looksLikeFlax(stored) ? shaped : stored
    }
    const found = this.wanted.database?.get(name)
    const unknown = passed.filter(({ stored }) => stored === undefined)
    for (const { file, line, text, stored } of passed)
      if (stored && stored.pattern !== (made as Stored | undefined)?.pattern)
        this.notes.push({ file, line, name, text: `also gets keys of ${text}: ${stored.kind}` })
    const kinds = [
      ...(typeof made === 'object' ? [made] : []),
      ...passed.flatMap(({ stored }) => stored ?? []),
      ...(found?.kinds ?? []),
    ]
    const isKnown = (found?.kinds.length ?? 0) > 0
    const ask = (what: string, ...names: readonly string[]): string =>
      `${what}: ask the database with --url, or describe the keys that are stored by ${names.map((one) => `--accept '${one}=<pattern>'`).join(' or ')}`
    if (made === undefined && !isKnown && passed.every(({ stored }) => stored === undefined))
      return ask('the application passes its keys, so it stays as it is', name, maker)
    if (typeof made === 'string' && !isKnown) return ask(`${made} makes its keys, which is not known`, maker)
    if (unknown.length > 0 && !isKnown) {
      const where = unknown.map(({ file, line, text }) => `${file}:${line} (${text})`).join(', ')
      return ask(`the application passes keys too, in ${where}`, name)
    }
    const stored = { ...union(kinds), prefix: typeof made === 'object' ? prefixOf(made) : undefined }
    const strange = isUuid ? kinds.find(({ kind }) => kind !== 'uuid') : undefined
    if (strange) return `${strange.kind} in a column of type uuid: only versions 4 and 7 can stay there`
    if (!isUuid && looksLikeFlax(stored)) return shaped
    if (!isSecret(name)) return stored
    return `its keys may be secrets, which ids are not, so it stays as it is; --accept '${name}=${stored.pattern}' if they are none`
  }

  /** The regular expression of whole keys, as a source has it, without quotes: `/^[\w-]{21}$/`. */
  literalOf(pattern: string): string {
    return `/${new RegExp(`^${pattern}$`).source.replaceAll("'", '\\x27')}/`
  }

  /** Options of a column that keeps these keys, in TypeScript. */
  optionsFor(stored: Stored, text: boolean, onMismatch: boolean): string[] {
    const prefix = prefixOf(stored)
    return [
      ...(text && prefix ? [`prefix: '${prefix}'`] : []),
      // Only families of uuids leave a column a native uuid.
      `accept: ${text ? this.literalOf(stored.pattern) : 'uuid7.withVersion4()'}`,
      ...this.sharedOptions(text && onMismatch),
    ]
  }

  /** Options that all columns have. */
  sharedOptions(onMismatch: boolean): string[] {
    return [
      ...(onMismatch ? ["onMismatch: 'notFound'"] : []),
      ...(this.wanted.branded ? [] : ['branded: false']),
    ]
  }

  /** A key that becomes a column of ids. */
  adopt(place: Place, stored: Stored, isUuid: boolean): void {
    const prefix = isUuid ? undefined : prefixOf(stored)
    const next = isUuid ? 'uuid7' : prefix ? `flax with ${prefix}_` : 'flax'
    this.keys.push({ ...place, text: `${stored.kind}, then ${next}` })
    this.replaced.set(place.name, { stored, isUuid })
    const lost = /^[A-Za-z][\w]*?(?:\\?[-_.:])/.exec(stored.pattern)?.[0].replace('\\', '')
    if (!isUuid && !prefix && lost)
      this.notes.push({
        ...place,
        text: `new ids lose the prefix ${lost}: a prefix is lower-case letters, digits and _`,
      })
  }
}

/** Whether the pattern also takes ids that the column would generate. */
function looksLikeFlax(stored: Stored): boolean {
  const prefix = prefixOf(stored)
  try {
    accepting(prefix ? prefixed(flax, prefix) : flax, new RegExp(`^${stored.pattern}$`))
    return false
  } catch (error) {
    if (error instanceof IdError && /also matches ids/.test(error.message)) return true
    throw error
  }
}

export const TAKEN = 'already is another name in this file: rename that, and run the command again'

export const BINARY_IN_MYSQL =
  'has keys and foreign keys distinguish case, and can change none while foreign keys exist: drop those above its statements, and add them again below, by the query of docs/switching.md'

export const NUMBERS =
  'a number: it can stay as it is; snoflax adopt replaces it, row by row, in a running database'

/** Tables whose keys open something, often: by the words of their names, not by parts of words. */
export function isSecret(name: string): boolean {
  const words = (name.split('.').at(-2) ?? name)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => !/^(?:auth|user|login|account|app|tbl|table)s?$/.test(word))
    .map((word) => word.replace(/(?<=[a-z]{3})s$/, ''))
  const [last = '', ...before] = words.reverse()
  if (last === 'session') return before.length === 0
  return (
    /^(?:token|secret|verification|invitation|invite|nonce)$/.test(last) ||
    (last === 'reset' && before[0] === 'password') ||
    (last === 'link' && before[0] === 'magic')
  )
}
