/** A way to read a text as an id of no family. */
export interface OtherId {
  /** Such as `a UUIDv4: 122 random bits, no time`. */
  readonly what: string
  /** The creation time in Unix milliseconds, if the id contains one. */
  readonly timeMs?: number
  /** Whether it is likelier than an id of our families, of which bytes in hex could be one too. */
  readonly isLikelier?: boolean
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f])([0-9a-f]{3})-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i

/** Ticks of 100 ns between 1582-10-15 and 1970. */
const GREGORIAN = 122_192_928_000_000_000n

const ticksToMs = (hex: string): number => Number((BigInt(`0x${hex}`) - GREGORIAN) / 10_000n)

function uuid(text: string): OtherId | undefined {
  if (/^0{8}(?:-?0{4}){3}-?0{12}$/.test(text)) return { what: 'the nil UUID' }
  if (/^f{8}(?:-?f{4}){3}-?f{12}$/i.test(text)) return { what: 'the max UUID' }
  const [, low = '', mid = '', version = '', high = ''] = UUID.exec(text) ?? []
  switch (version) {
    case '1':
      return { what: 'a UUIDv1: time, clock sequence, node', timeMs: ticksToMs(high + mid + low) }
    case '3':
      return { what: 'a UUIDv3: the MD5 hash of a name, no time' }
    case '4':
      return { what: 'a UUIDv4: 122 random bits, no time' }
    case '5':
      return { what: 'a UUIDv5: the SHA-1 hash of a name, no time' }
    case '6':
      return { what: 'a UUIDv6: time, clock sequence, node', timeMs: ticksToMs(low + mid + high) }
    case '8':
      return { what: 'a UUIDv8 of another layout than ours' }
    default:
      return undefined
  }
}

/** Kinds that others generate, by the form of their texts, with what keyTime calls those that contain a time. */
const KINDS = [
  { form: /^[0-9A-Za-z]{27}$/, what: 'a KSUID', time: 'ksuid' },
  { form: /^[0-9a-f]{24}$/i, what: "MongoDB's ObjectId", time: 'objectId' },
  { form: /^c[0-9a-z]{24}$/, what: 'a cuid', time: 'cuid' },
  { form: /^[a-z][0-9a-z]{23}$/, what: 'a cuid2, which contains no time' },
  { form: /^(?![a-z]{2,}_)[\w-]{21}$/, what: 'a nanoid, which contains no time' },
  { form: /^\d{1,15}$/, what: 'an integer, such as a serial key' },
] as const satisfies readonly { readonly form: RegExp; readonly what: string; readonly time?: string }[]

/** As MongoDB writes it. Databases show bytes in capitals, or with a mark in front. */
const OBJECT_ID = /^[0-9a-f]{24}$/

/** Before, hardly any id with a time in it was generated. */
const EARLIEST_MS = Date.UTC(2010)
const DAY_MS = 86_400_000

/** What a text may be other than an id of our families, the likeliest first. */
export async function otherIds(text: string): Promise<OtherId[]> {
  const known = uuid(text)
  if (known !== undefined) return [known]
  const fitting = KINDS.filter(({ form }) => form.test(text))
  if (fitting.length === 0) return []
  const { keyTime } = await import('@snoflax/adopt')
  return fitting.flatMap((kind): OtherId[] => {
    if (!('time' in kind)) return [{ what: kind.what }]
    const timeMs = keyTime[kind.time](text)
    return timeMs >= EARLIEST_MS && timeMs <= Date.now() + DAY_MS
      ? [{ what: kind.what, timeMs, isLikelier: OBJECT_ID.test(text) }]
      : []
  })
}
