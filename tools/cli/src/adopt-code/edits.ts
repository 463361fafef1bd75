import { createTwoFilesPatch } from 'diff'

/** A part of a file, by its offsets, and the text that replaces it. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text after its edits. They may touch, but not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let [result, at] = ['', 0]
  const inOrder = [...edits].sort((one, other) => one.start - other.start || one.end - other.end)
  for (const edit of inOrder) {
    if (edit.start < at) throw new Error(`edits overlap at ${edit.start}: ${edit.text}`)
    result += text.slice(at, edit.start) + edit.text.replace(/\r?\n/g, lineEndAt(text, edit.end))
    at = edit.end
  }
  return result + text.slice(at)
}

/** How the line at an offset ends; the last line as the one before it. */
function lineEndAt(text: string, offset: number): string {
  const next = text.indexOf('\n', offset)
  return text[(next < 0 ? text.lastIndexOf('\n') : next) - 1] === '\r' ? '\r\n' : '\n'
}

/** The edits as `git apply` and `patch` read them: lines without their ends. */
export function unifiedDiff(path: string, text: string, edits: readonly Edit[]): string[] {
  const [before, after] = ['a', 'b'].map((side) => headerOf(`${side}/${path}`))
  const patch = createTwoFilesPatch('a', 'b', text, applyEdits(text, edits), undefined, undefined, {
    context: 3,
  })
  return [`--- ${before}`, `+++ ${after}`, ...patch.split('\n').slice(3, -1)]
}

/** A path on one line, quoted as git does. */
const headerOf = (path: string): string =>
  /[\p{Cc}"\\]/u.test(path)
    ? `"${path.replace(/[\p{Cc}"\\]/gu, (one) => `\\${/["\\]/.test(one) ? one : one.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`
    : path
