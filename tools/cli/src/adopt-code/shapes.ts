/** The keys that a column stores. */
export interface Stored {
  /** What generated them: `cuid2`. */
  readonly kind: string
  /** The pattern of a whole key, without anchors. */
  readonly pattern: string
  /** A key of this kind. */
  readonly sample: string
  /** That of the keys that the column generates, beside others without it. */
  readonly prefix?: string | undefined
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const CUID = 'clh3x8z2v0000qzrmn831i7rn1k2m5p7'
const MIXED = 'V1StGXR8Z5jdHi6BmyTaQ0wErU3oPs9dF7gK2lMn'

/** The pattern of a text. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const times = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length)

export const STORED = {
  cuid: () => ({ kind: 'cuid', pattern: 'c[a-z0-9]{24}', sample: times(CUID, 25) }),
  cuid2: (length = 24) => ({
    kind: 'cuid2',
    pattern: `[a-z][a-z0-9]{${length - 1}}`,
    sample: times('tz4a98xxat96iws9zmbrgj3a', length),
  }),
  nanoid: (length = 21) => ({
    kind: 'nanoid',
    pattern: `[\\w-]{${length}}`,
    sample: times(`${MIXED}_-`, length),
  }),
  uuid: () => ({ kind: 'uuid', pattern: UUID, sample: '4f1c2a9e-7b3d-4c58-9e21-0a6b8d5f3c71' }),
  ulid: () => ({
    kind: 'ulid',
    pattern: '[0-7][0-9A-HJKMNP-TV-Z]{25}',
    sample: '01HZX3Y4K5M6N7P8Q9R0STVWXY',
  }),
  betterAuth: () => ({ kind: 'better-auth', pattern: '[A-Za-z0-9]{32}', sample: times(MIXED, 32) }),
  objectId: () => ({ kind: 'ObjectId', pattern: '[0-9a-f]{24}', sample: '65a1b2c3d4e5f60718293a4b' }),
  alphabet: (letters: string, length: number) => ({
    kind: 'customAlphabet',
    pattern: `[${letters.replace(/[\]\\^-]/g, '\\$&')}]{${length}}`,
    sample: times(letters, length),
  }),
} satisfies Record<string, (...given: never[]) => Stored>

/** What is looked for in a database, before general shapes. The first that fits is taken. */
const LOOKED_FOR: readonly Stored[] = [
  STORED.uuid(),
  STORED.ulid(),
  STORED.objectId(),
  STORED.cuid2(),
  STORED.cuid(),
  STORED.betterAuth(),
  STORED.nanoid(),
]
const WHOLE = LOOKED_FOR.map((stored) => ({ stored, whole: new RegExp(`^${stored.pattern}$`) }))
/** What may stand before the keys of one table. */
const HEAD = /^[a-z](?:[a-z0-9_]{0,30}[a-z0-9])?_$/

/** What may stand before this key, the longest first: a key may have a `_` of its own. */
const headsOf = (key: string): string[] =>
  [...key.matchAll(/_(?=.)/g)]
    .map(({ index }) => key.slice(0, index + 1))
    .filter((head) => HEAD.test(head))
    .reverse()

/** Letters that a general shape is made of. A key with another one fits nothing. */
const CLASSES: readonly (readonly [test: RegExp, letters: string])[] = [
  [/[a-z]/, 'a-z'],
  [/[A-Z]/, 'A-Z'],
  [/[0-9]/, '0-9'],
  [/_/, '_'],
  [/[.]/, '.'],
  [/[:]/, ':'],
  [/-/, '-'],
]
const GENERAL = /^[A-Za-z0-9_.:-]{1,255}$/

/** The shape of one key: undefined for one that no pattern should take, such as an empty or a binary one. */
export function shapeOf(key: string): Stored | undefined {
  const whole = WHOLE.find((one) => one.whole.test(key))
  if (whole) return whole.stored
  const heads = headsOf(key)
  for (const head of heads) {
    const known = WHOLE.find((one) => one.whole.test(key.slice(head.length)))
    if (known) {
      const { kind, pattern } = known.stored
      return { kind: `${head} and ${kind}`, pattern: head + pattern, sample: key }
    }
  }
  if (!GENERAL.test(key)) return undefined
  const [head = ''] = heads
  return general(head, key.slice(head.length), key)
}

/** Whether it is a shape that {@link shapeOf} made, not that of a known kind. */
export const isGeneral = ({ kind }: Stored): boolean => / of /.test(kind)

/** So many of the letters that stand in a text, behind a prefix. */
function general(head: string, text: string, sample: string): Stored {
  const letters = CLASSES.flatMap(([test, one]) => (test.test(text) ? one : [])).join('')
  const length = sample.length - head.length
  return {
    kind: `${head ? `${head} and ` : ''}${length} of ${letters}`,
    pattern: `${head}[${letters}]{${length}}`,
    sample,
  }
}

/**
 * Shapes of one length and one prefix, as one: their letters together. `post_6_V1StGXR8Z5` has a `_` of its own behind
 * `post_`, if that is the prefix of others of its length.
 */
export function joined(shapes: readonly Stored[]): Stored[] {
  const samples = shapes
    .filter(isGeneral)
    .map(({ sample }) => ({ sample, heads: headsOf(sample).reverse() }))
    .sort((one, other) => one.heads.length - other.heads.length)
  const groups = new Map<string, { head: string; text: string; sample: string }>()
  for (const { sample, heads } of samples) {
    const own = heads.at(-1) ?? ''
    const head = heads.find((one) => groups.has(`${one} ${sample.length}`)) ?? own
    const { text = '', sample: first = sample } = groups.get(`${head} ${sample.length}`) ?? {}
    groups.set(`${head} ${sample.length}`, { head, text: text + sample.slice(head.length), sample: first })
  }
  const joint = [...groups.values()].map(({ head, text, sample }) => general(head, text, sample))
  return [...shapes.filter((one) => !isGeneral(one)), ...joint]
}

/** One kind for several: a pattern that takes all of them. */
export function union(kinds: readonly Stored[]): Stored {
  const own = kinds.filter((one, at) => kinds.findIndex(({ pattern }) => pattern === one.pattern) === at)
  const [first] = own
  if (first && own.length === 1) return first
  return {
    kind: own.map(({ kind }) => kind).join(' or '),
    pattern: `(?:${own.map(({ pattern }) => pattern).join('|')})`,
    sample: (first as Stored).sample,
  }
}

/** What stands before the `_` of each key, if new ids can have it too. */
export function prefixOf({ pattern, prefix }: Stored): string | undefined {
  if (prefix) return prefix
  const parts = /^\(\?:(.*)\)$/.exec(pattern)?.[1]?.split('|') ?? [pattern]
  const prefixes = new Set(
    parts.map((one) => /^([a-z](?:[a-z0-9_]{0,61}[a-z0-9])?)_(?![*+?{])/.exec(one)?.[1]),
  )
  const [only] = prefixes
  return prefixes.size === 1 ? only : undefined
}
