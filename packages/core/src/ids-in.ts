import { unanchored } from './prefixed/text.js'

/** What a search looks for. */
interface Kind {
  readonly prefix: string | undefined
  /** Matches a whole id, from `^` to `$`. */
  readonly pattern: RegExp
}

interface Candidate {
  readonly index: number
  readonly value: string
}

/** Ends of escapes in JSON and JavaScript, in URLs, and of colours in terminals: what follows them begins anew. */
const ESCAPED = [
  String.raw`(?<=\\[bfnrtv0])`,
  String.raw`(?<=\\x[\dA-Fa-f]{2})`,
  String.raw`(?<=\\u[\dA-Fa-f]{4})`,
  String.raw`(?<=%[\dA-Fa-f]{2})`,
  String.raw`(?<=\x1b\[[\d;]{0,20}m)`,
].join('|')

/**
 * A search for what stands alone in a text and matches one of the patterns; none overlaps another. Each place where one can
 * begin is tried once for each pattern, so the time grows with the text's length.
 */
export function searcherOf(kinds: readonly Kind[]): (text: string) => Candidate[] {
  const prefixed: { readonly head: string; readonly pattern: RegExp }[] = []
  const others: RegExp[] = []
  for (const { prefix, pattern } of kinds) {
    const source = `(?:${unanchored(pattern)})`
    if (prefix !== undefined && pattern.source.startsWith(`^${prefix}_`)) {
      prefixed.push({ head: `${prefix}_`, pattern: new RegExp(`${source}(?!\\w)`, `${pattern.flags}y`) })
    } else {
      others.push(new RegExp(`(?:(?<![\\w-])|${ESCAPED})${source}(?![\\w-])`, `${pattern.flags}g`))
    }
  }
  const heads = prefixed.map(({ head }) => head).join('|')
  const beginning = new RegExp(`(?:(?<!\\w)|${ESCAPED})(?:${heads})`, 'g')

  return (text) => {
    const found = others.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: value }) => ({ index, value })),
    )
    for (const { index } of heads === '' ? [] : text.matchAll(beginning)) {
      for (const { head, pattern } of prefixed) {
        if (!text.startsWith(head, index)) continue
        pattern.lastIndex = index
        const [value] = pattern.exec(text) ?? []
        if (value !== undefined) found.push({ index, value })
      }
    }
    let end = 0
    return found
      .sort((a, b) => a.index - b.index || b.value.length - a.value.length)
      .filter(({ index, value }) => {
        const isFree = index >= end
        if (isFree) end = index + value.length
        return isFree
      })
  }
}
