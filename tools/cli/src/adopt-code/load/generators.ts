import Module from 'node:module'

/** A call of a generator of a known package while a default was computed. */
interface Call {
  readonly generator: string
  /** The pattern of what it returns, without anchors. */
  readonly pattern: string
  readonly text: string
}

/** What a default generates, of a hundred of its values. */
export interface Generated {
  /** The first values. */
  readonly samples: readonly string[]
  /** The generators of known packages that it calls, such as `nanoid(12)`. */
  readonly generators: readonly string[]
  /** The pattern of all values, without anchors; undefined if it isn't certain. */
  readonly pattern?: string
  /** The constant text before the first generated part. */
  readonly head?: string
  /** The family that has these ids, with their time. */
  readonly family?: string
  /** Why there is no pattern. */
  readonly reason?: string
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const HEX32 = '[0-9a-f]{32}'
const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** The pattern of a text. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

type Pattern = (given: readonly unknown[]) => string | undefined

const sized =
  (letters: string, usual: number): Pattern =>
  ([size = usual]) =>
    typeof size === 'number' ? `${letters}{${size}}` : undefined

const always =
  (pattern: string): Pattern =>
  () =>
    pattern

const typeId: Pattern = ([prefix = '']) =>
  `${prefix === '' ? '' : `${escaped(String(prefix))}_`}[0-7][0-9a-hjkmnp-tv-z]{25}`

/** What functions of packages return, by package and export. */
const GENERATORS: Readonly<Record<string, Readonly<Record<string, Pattern>>>> = {
  '@paralleldrive/cuid2': { createId: always('[a-z0-9]{24}') },
  cuid: { default: always('c[a-z0-9]{24}') },
  nanoid: { nanoid: sized('[0-9A-Z_a-z-]', 21) },
  'nanoid/non-secure': { nanoid: sized('[0-9A-Z_a-z-]', 21) },
  crypto: { randomUUID: always(UUID) },
  uuid: Object.fromEntries(['v1', 'v4', 'v6', 'v7'].map((name) => [name, always(UUID)])),
  uuidv7: { uuidv7: always(UUID) },
  ulid: { ulid: always(ULID) },
  ulidx: { ulid: always(ULID) },
  'typeid-js': { typeid: typeId, typeidUnboxed: typeId },
}

/** What functions return that functions of packages return. */
const MAKERS: Readonly<Record<string, Readonly<Record<string, (given: readonly unknown[]) => Pattern>>>> = {
  '@paralleldrive/cuid2': {
    init: ([options]) => {
      const { length = 24 } = (options ?? {}) as { length?: number }
      return always(`[a-z0-9]{${length}}`)
    },
  },
  nanoid: { customAlphabet: ([letters, size = 21]) => sized(alphabet(String(letters)), Number(size)) },
  'nanoid/non-secure': {
    customAlphabet: ([letters, size = 21]) => sized(alphabet(String(letters)), Number(size)),
  },
  ulid: { monotonicFactory: () => always(ULID) },
  ulidx: { monotonicFactory: () => always(ULID) },
}

/** The class of these letters, with ranges of four and more. */
function alphabet(letters: string): string {
  const sorted = [...new Set(letters)].sort().join('')
  let [text, at] = ['', 0]
  while (at < sorted.length) {
    const from = sorted.charCodeAt(at)
    let size = 1
    while (sorted.charCodeAt(at + size) === from + size) size++
    const run = sorted.slice(at, at + size)
    const escapedRun = [...run].map((one) => one.replace(/[\]\\^/-]/, '\\$&'))
    text += size > 3 && /^\w+$/.test(run) ? `${run[0]}-${run.at(-1)}` : escapedRun.join('')
    at += size
  }
  return `[${text}]`
}

/** How code writes an id that a generator returned, and what its pattern is then. */
const FORMS: readonly (readonly [
  text: (text: string) => string,
  pattern: (one: string) => string | undefined,
])[] = [
  [(text) => text, (one) => one],
  [(text) => text.replaceAll('-', ''), (one) => (one === UUID ? HEX32 : undefined)],
  [(text) => text.toLowerCase(), (one) => (one === ULID ? ULID.toLowerCase() : undefined)],
]

let calls: Call[] = []
/** What the application read of its environment, while it was loaded and while it generated an id. */
const environment = { loading: new Map<string, string>(), generating: new Set<string>() }
let isGenerating = false

type Function = (...given: unknown[]) => unknown

/** The function, whose results are recorded. */
function recorded(generator: string, made: Function, pattern: Pattern): Function {
  return new Proxy(made, {
    apply(target, self, given: unknown[]) {
      const id = Reflect.apply(target, self, given)
      const known = ['string', 'object'].includes(typeof id) ? pattern(given) : undefined
      if (known) {
        const sizes = given.filter((one) => typeof one === 'number')
        calls.push({ generator: `${generator}(${sizes.join(', ')})`, pattern: known, text: String(id) })
      }
      return id
    },
  })
}

/** Records what generators of known packages return, in whatever function they are called. */
export function recordGenerators(): void {
  const loader = Module as unknown as { _load(request: string, ...more: unknown[]): unknown }
  const load = loader._load
  const known = new WeakMap<object, unknown>()
  loader._load = (request, ...more) => {
    const module = load.call(loader, request, ...more)
    const name = request.replace(/^node:/, '')
    if (!(name in GENERATORS) || module === null || !['object', 'function'].includes(typeof module))
      return module
    const made = known.get(module as object) ?? recordedModule(name, module as object)
    known.set(module as object, made)
    return made
  }
  const { crypto } = globalThis
  const randomUUID = recorded('randomUUID', crypto.randomUUID.bind(crypto) as Function, always(UUID))
  Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true, writable: true })
  process.env = new Proxy(process.env, {
    // Node refuses to define a variable that it has.
    set: (target, name, value) => Reflect.set(target, name, value),
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof name === 'string' && isGenerating) environment.generating.add(name)
      else if (typeof name === 'string' && value) environment.loading.set(name, value)
      return value
    },
  })
}

function recordedModule(name: string, module: object): object {
  const members = new Map<PropertyKey, unknown>()
  const memberOf = (key: string, value: unknown): unknown => {
    if (typeof value !== 'function') return value
    const pattern = GENERATORS[name]?.[key]
    if (pattern) return recorded(key === 'default' ? name : key, value as Function, pattern)
    const maker = MAKERS[name]?.[key]
    if (!maker) return value
    return (...given: unknown[]) => {
      const made = (value as Function)(...given)
      return typeof made === 'function' ? recorded(key, made as Function, maker(given)) : made
    }
  }
  const own = typeof module === 'function' ? memberOf('default', module) : module
  return new Proxy(own as object, {
    get(target, key, receiver) {
      const value = Reflect.get(target, key, target === module ? receiver : undefined)
      if (typeof key !== 'string') return value
      if (!members.has(key)) members.set(key, memberOf(key, value))
      return members.get(key)
    },
  })
}

const SAMPLES = 100
const DAY_MS = 86_400_000

/** Calls a default a hundred times, at a hundred times, and tells what it generates. */
export function sample(generate: () => unknown): Generated {
  const restore = onOtherDays()
  environment.generating.clear()
  const found: { text: string; made: readonly Call[] }[] = []
  try {
    for (let at = 0; at < SAMPLES; at++) {
      calls = []
      const text = generate()
      if (typeof text !== 'string')
        return { samples: [], generators: [], reason: `its default returns no text, but ${describe(text)}` }
      found.push({ text, made: calls })
    }
  } catch (error) {
    return { samples: [], generators: [], reason: `its default throws: ${(error as Error).message}` }
  } finally {
    restore()
  }
  const samples = found.slice(0, 3).map(({ text }) => text)
  const generators = [...new Set(found.flatMap(({ made }) => made.map(({ generator }) => generator)))]
  const shapes = found.map(({ text, made }) => shapeOf(text, made))
  const [first] = shapes
  const unknown = (reason: string): Generated => ({ samples, generators, reason })
  if (!first?.isGenerated) return unknown('its generator is of no package whose ids are known')
  if (shapes.some(({ pattern }) => pattern !== first.pattern))
    return unknown('a part of its ids is generated by something that is not known')
  if (new Set(found.map(({ text }) => text)).size < SAMPLES / 2) return unknown('its ids repeat')
  const constant = first.constants.join('\n')
  const read = [...environment.loading].find(([, value]) => value.length > 1 && constant.includes(value))
  const names = [...environment.generating, ...(read ? [read[0]] : [])]
  if (names.length > 0) return unknown(`its ids may depend on the environment: ${names.join(', ')}`)
  return { samples, generators, pattern: first.pattern, head: first.constants[0] as string }
}

const describe = (value: unknown): string =>
  value instanceof Promise ? 'a promise' : value === null ? 'null' : typeof value

/** At each call it is another day, so that a time in an id is no constant. */
function onOtherDays(): () => void {
  const { Date: RealDate } = globalThis
  let day = 0
  const now = (): number => RealDate.now() + (++day % (SAMPLES * 7)) * 5 * DAY_MS
  isGenerating = true
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [now()] : given) as [number]))
    }
    static override now = now
  } as DateConstructor
  return () => {
    globalThis.Date = RealDate
    isGenerating = false
  }
}

/** An id as constant texts around what generators returned. */
function shapeOf(
  text: string,
  made: readonly Call[],
): { pattern: string; constants: readonly string[]; isGenerated: boolean } {
  let [at, pattern, isGenerated] = [0, '', false]
  const constants: string[] = []
  const constant = (to: number): void => {
    constants.push(text.slice(at, to))
    pattern += escaped(text.slice(at, to))
  }
  for (const { text: part, pattern: own } of made)
    for (const [form, patternOf] of FORMS) {
      const [shown, known] = [form(part), patternOf(own)]
      const from = text.indexOf(shown, at)
      if (known === undefined || from < 0) continue
      constant(from)
      pattern += known
      at = from + shown.length
      isGenerated = true
      break
    }
  constant(text.length)
  return { pattern, constants, isGenerated }
}
