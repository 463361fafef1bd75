import type ts from 'typescript'
import type { Edit } from './edits.js'
import { type Export, importing, takenIn } from './imports.js'
import type { KeyPlan } from './plan.js'
import type { Found, Source, Sources } from './sources.js'
import { Unwritable } from './written.js'

/** The definition of a key, as it is written into a file. */
export interface Definition {
  /** The name of the const. */
  readonly name: string
  readonly file: Source
  /** Where it stands. */
  readonly offset: number
}

interface Needed {
  readonly imports: Export[]
  readonly consts: Map<string, string>
}

/** What files need beside their edited columns: definitions, options and imports. */
export class Definitions {
  edits = new Map<string, Edit[]>()
  byKey = new Map<KeyPlan, Definition>()
  #needed = new Map<Source, Needed>()
  #labels = new Set<string>()

  constructor(
    readonly sources: Sources,
    readonly isBranded: boolean,
  ) {}

  /** Does the work, or none of it. @throws what it throws */
  whole<Result>(work: () => Result): Result {
    const [edits, byKey, needed, labels] = [this.edits, this.byKey, this.#needed, this.#labels]
    this.edits = new Map([...edits].map(([path, own]) => [path, [...own]]))
    this.byKey = new Map(byKey)
    this.#needed = new Map(
      [...needed].map(([file, { imports, consts }]) => [
        file,
        { imports: [...imports], consts: new Map(consts) },
      ]),
    )
    this.#labels = new Set(labels)
    try {
      return work()
    } catch (error) {
      Object.assign(this, { edits, byKey })
      this.#needed = needed
      this.#labels = labels
      throw error
    }
  }

  edit(file: Source, ...edits: readonly Edit[]): void {
    this.#neededIn(file)
    this.edits.set(file.path, [...(this.edits.get(file.path) ?? []), ...edits])
  }

  /** Imports names into a file. @throws {Unwritable} if it has another thing of the name */
  import(file: Source, ...wanted: readonly Export[]): void {
    const taken = takenIn(file, wanted)
    if (taken)
      throw new Unwritable(
        `${taken} already is another name in this file: rename that, and run the command again`,
      )
    this.#neededIn(file).imports.push(...wanted)
  }

  /** The text of an expression in a file, which imports what it needs; undefined if the file can't name it. */
  textOf(found: Found, file: Source): string | undefined {
    const imports: Export[] = []
    const text = this.sources.textIn(found, file, imports)
    if (text !== undefined && imports.length > 0) this.import(file, ...imports)
    return text
  }

  /** Writes the definition of a key above the statement that has it. Without `generate`, others generate its ids. */
  define(key: KeyPlan, file: Source, statement: ts.Node, generate?: string): Definition {
    this.import(file, ['opaque', '@snoflax/core'])
    const [, prefix] = /^([a-z][a-z0-9]*(?:_[a-z0-9]+)*)[_-]$/.exec(key.head) ?? []
    const label = this.#labelOf(prefix ?? key.table.name)
    const stem = prefix ?? key.table.places[0]?.name.replace(/(?<=.)Schema$/, '') ?? key.table.name
    const name = this.nameIn(file, `${camel(stem)}Id`)
    const offset = this.above(file, statement)
    const pattern = new RegExp(key.pattern).source
    // A parameter's text in a template is a part of it.
    const own = generate?.replace(/\$\{(['"])([\w-]*)\1\}/g, '$2')
    const options = [`pattern: /${pattern}/`, ...(own === undefined ? [] : [`generate: ${own}`])]
    this.write(file, offset, `export const ${name} = opaque('${label}', { ${options.join(', ')} })`)
    const definition = { name, file, offset }
    this.byKey.set(key, definition)
    return definition
  }

  /** Where a statement begins, with the comment above it. */
  above(file: Source, statement: ts.Node): number {
    const [comment] = this.sources.ts.getLeadingCommentRanges(file.node.text, statement.getFullStart()) ?? []
    return comment?.pos ?? statement.getStart()
  }

  /** Adds a statement. */
  write(file: Source, offset: number, statement: string): void {
    this.edit(file, { start: offset, end: offset, text: `${statement}${this.#semicolon(file)}\n\n` })
  }

  /** The name of a const of a file with these options. */
  options(file: Source, stem: string, options: readonly string[]): string {
    const text = `{ ${options.join(', ')} } as const`
    if (file.declared.get(stem)?.getText() === `${stem} = ${text}`) return stem
    const { consts } = this.#neededIn(file)
    const same = [...consts].find(([, one]) => one === text)?.[0]
    if (same) return same
    const name = this.nameIn(file, stem)
    consts.set(name, text)
    return name
  }

  /** Adds imports and options to the edited files. */
  finish(): void {
    for (const [file, { imports, consts }] of this.#needed) {
      const statements = [...consts].map(([name, text]) => `const ${name} = ${text}`)
      const edits = this.edits.get(file.path) ?? []
      if (edits.length > 0) this.edit(file, ...importing(this.sources, file, imports, statements, edits))
    }
  }

  #neededIn(file: Source): Needed {
    const needed = this.#needed.get(file) ?? { imports: [], consts: new Map<string, string>() }
    this.#needed.set(file, needed)
    return needed
  }

  #labelOf(text: string): string {
    const stem = snake(text)
    let label = stem
    for (let number = 2; this.#labels.has(label); number++) label = `${stem}_${number}`
    this.#labels.add(label)
    return label
  }

  /** A name that a file doesn't have: this one, or one with a number. */
  nameIn(file: Source, stem: string): string {
    const names = new Set([...this.byKey.values()].filter((one) => one.file === file).map(({ name }) => name))
    const { consts } = this.#neededIn(file)
    const words = this.sources.namesIn(file)
    let name = stem
    for (let number = 2; words.has(name) || names.has(name) || consts.has(name); number++)
      name = `${stem}${number}`
    return name
  }

  #semicolon(file: Source): string {
    return file.node.statements.some((one) => one.getText().endsWith(';')) ? ';' : ''
  }
}

const snake = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '') || 'key'

const camel = (text: string): string =>
  snake(text).replace(/_([a-z0-9])/g, (_, one: string) => one.toUpperCase())
