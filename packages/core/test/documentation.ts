import { readFileSync } from 'node:fs'

/** One row of a bit table: first and last bit, counted from the most significant. */
export interface DocumentedField {
  readonly first: number
  readonly last: number
  readonly name: string
  readonly width: number
}

export const page = (name: string): string =>
  readFileSync(new URL(`../../../spec/${name}.md`, import.meta.url), 'utf8')

/** The text from a heading to the next one of its level. */
export function section(text: string, heading: string): string {
  const [, rest] = text.split(`\n## ${heading}\n`)
  if (rest === undefined) throw new Error(`no section ${heading}`)
  return rest.split('\n## ')[0] as string
}

/** The rows of a section's bit table, whose columns are bits, field, width, meaning. */
export function bitTable(text: string): DocumentedField[] {
  return [...text.matchAll(/^\| (\d+)(?:-(\d+))? \| (\w+) \| (\d+) \|/gm)].map(
    ([, first, last, name, width]) => ({
      first: Number(first),
      last: Number(last ?? first),
      name: name as string,
      width: Number(width),
    }),
  )
}

/** The Unix milliseconds after a label, and the moment that is written next to them. */
export function moment(text: string, label: string): { ms: number; iso: string } {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`- ${label}:`)) ?? ''
  const [, ms, iso] = /Unix ms (\d+), (\+?\d+-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/.exec(line) ?? []
  if (ms === undefined || iso === undefined) throw new Error(`no moment after ${label}`)
  return { ms: Number(ms), iso }
}

/** The digits of the text form, which stand alone in a block of code. */
export function alphabet(text: string): string {
  const [, digits] = /^```\n(\S{32,})\n```$/m.exec(text) ?? []
  if (digits === undefined) throw new Error('no alphabet')
  return digits
}
