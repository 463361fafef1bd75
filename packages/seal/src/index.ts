import { IdError, type IdFamily, type StandardSchema } from '@snoflax/core'
import { checkFamily, isPrefixed, kindOf, show, withPath } from '@snoflax/core/adapter'
import { textForm, uuidForm } from './forms.js'
import { deriveKey, readOptions, type SealKey } from './key.js'

export { generateSealKey, type SealKey } from './key.js'

/** A sealed id: its prefix, if it has one, and URL-safe characters: 22 for ids of up to 12 bytes, 27 for 16 bytes. */
export type SealedId<Name extends string = string> = string & {
  /** Exists in types only. */
  readonly '~sealed': Name
}

/** Options of {@link seal}. */
export interface SealOptions {
  /** The key, or several: the first one seals, and all of them open, so that a key can be replaced. */
  readonly keys: SealKey | readonly SealKey[]
  /**
   * `uuid` seals a UUIDv7 as a UUID of version 4, and a TypeID as a TypeID with one, for APIs that must show UUIDs. Such
   * a text has no room for a check: every UUIDv4 opens, as some id. So it takes one key. Default: a sealed text.
   */
  readonly as?: 'uuid'
}

/** Seals and opens the ids of one family. As a Standard Schema, its input is sealed text and its output ids. */
export interface Seal<AnId extends string> extends StandardSchema<AnId> {
  /** The family of the ids. */
  readonly family: IdFamily<AnId>
  /** Matches exactly the form of a sealed text. */
  readonly pattern: RegExp
  /** Seals an id. The result is always the same for one id and key. @throws {IdError} as the family's `parse`. */
  seal(id: AnId): SealedId
  /**
   * Opens a sealed text.
   *
   * @throws {IdError} `INVALID_SEAL` for every value that is not a text sealed for this kind of id with one of the
   * keys. With `as: 'uuid'`, for every value that is not a UUID of version 4, or a TypeID with one.
   */
  open(sealed: unknown): AnId
  /**
   * Seals many ids in one call of the cipher: a list takes a fifth of the time of single calls, or less.
   *
   * @throws {IdError} `INVALID_TYPE` for anything but a list; as the family's `parse`, with the index in the list as its
   * `path`.
   */
  sealAll(ids: readonly AnId[]): SealedId[]
  /**
   * Opens many sealed texts in one call of the cipher.
   *
   * @throws {IdError} `INVALID_TYPE` for anything but a list; as `open` for the first refused text, with its index in the
   * list as its `path`.
   */
  openAll(sealed: readonly unknown[]): AnId[]
}

/**
 * Seals a family's ids for URLs and APIs: a sealed id hides time, counter and order, and only the holder of the key can
 * open it. Ids of up to 12 bytes become one AES-256 block, longer ones are enciphered by FF1 of NIST SP 800-38G;
 * docs/sealed-ids.md says what it promises and what it doesn't.
 *
 * @param family any family, prefixed or not. A sealed text opens as the kind it was sealed for, and as no other.
 * @throws {IdError} `INVALID_OPTION` for keys that are missing, malformed, not random or equal, for `as: 'uuid'` with
 * several keys or with ids that are not UUIDs of version 7, and for a value that is not a family.
 *
 * @example
 * const customers = seal(flax, { keys: generateSealKey() })
 * const text = customers.seal(flax.generate()) // 22 characters, e.g. 'Yt0hSPXlqT1RZ1JtGZBs5Q'
 * flax.time(customers.open(text)) // when it was generated
 */
export function seal<AnId extends string>(family: IdFamily<AnId>, options: SealOptions): Seal<AnId> {
  checkFamily(family, 'seal: family')
  const { keys, as } = readOptions(options)
  const form = as === 'uuid' ? uuidForm(family) : textForm(family)
  const { size } = form
  const prefix = isPrefixed(family) ? family.prefix : ''
  const head = prefix && `${prefix}_`
  const ciphers = keys.map((key) => form.cipher(deriveKey(key, kindOf(family), prefix)))
  const { encrypt } = ciphers[0] as (typeof ciphers)[number]
  const pattern = new RegExp(`^${head}${form.pattern}$`)
  const length = head.length + form.length

  // `put` leaves the zeros after the id as they are.
  const plain = new Uint8Array(size)
  const sealId = (id: AnId): SealedId => {
    form.put(family.decode(id), plain, 0)
    return (head + form.write(encrypt(plain), 0)) as SealedId
  }
  const sealAll = (ids: readonly AnId[]): SealedId[] => {
    const list = listOf(family, 'sealAll needs a list of ids', ids, 'ids')
    const values = new Uint8Array(list.length * size)
    list.forEach((id, i) => {
      const bytes = withPath(
        () => `[${i}]`,
        () => family.decode(id),
      )
      form.put(bytes, values, i * size)
    })
    const sealed = encrypt(values)
    return list.map((_, i) => (head + form.write(sealed, i * size)) as SealedId)
  }

  // Every value takes the same path, whichever key fits and whatever is wrong with it: a malformed text is also
  // decrypted, as an arbitrary value.
  const sealedValue = new Uint8Array(size)
  const idBytes = new Uint8Array(family.byteLength)
  const read = (value: unknown, values: Uint8Array, at: number): boolean =>
    typeof value === 'string' &&
    value.length === length &&
    value.startsWith(head) &&
    form.read(value, head.length, values, at)
  const find = (plains: readonly Uint8Array[], at: number, isText: boolean): AnId | undefined => {
    let found: Uint8Array | undefined
    for (const plain of plains) if (form.isOurs(plain, at)) found ??= plain
    if (!isText || found === undefined) return undefined
    form.take(found, at, idBytes)
    return idOf(family, idBytes)
  }
  const decrypt = (values: Uint8Array): Uint8Array[] => ciphers.map((one) => one.decrypt(values))

  const refuse = (sealed: unknown): never => {
    throw new IdError('INVALID_SEAL', `${family.name}: not a sealed ${family.name} id: ${show(sealed)}`, {
      family: family.name,
      value: sealed,
    })
  }
  const open = (sealed: unknown): AnId => {
    const isText = read(sealed, sealedValue, 0)
    return find(decrypt(sealedValue), 0, isText) ?? refuse(sealed)
  }
  const openAll = (sealed: readonly unknown[]): AnId[] => {
    const list = listOf(family, 'openAll needs a list of sealed texts', sealed)
    const values = new Uint8Array(list.length * size)
    const areTexts = list.map((value, i) => read(value, values, i * size))
    const plains = decrypt(values)
    return list.map(
      (value, i) => find(plains, i * size, areTexts[i] as boolean) ?? withPath(`[${i}]`, () => refuse(value)),
    )
  }

  return {
    family,
    pattern,
    seal: sealId,
    sealAll,
    open,
    openAll,
    '~standard': {
      version: 1,
      vendor: 'snoflax',
      validate: (value) => {
        try {
          return { value: open(value) }
        } catch (error) {
          const { message, code } = error as IdError
          return { issues: [{ message, code }] }
        }
      },
      jsonSchema: {
        input: () => ({
          type: 'string',
          ...(form.format && head === '' && { format: form.format }),
          pattern: pattern.source,
          minLength: length,
          maxLength: length,
        }),
        output: family['~standard'].jsonSchema.output,
      },
    },
  }
}

/**
 * A copy without holes, which `map` and `forEach` would skip.
 *
 * @param field what was passed; undefined for what a request may contain.
 * @throws {IdError} `INVALID_TYPE` for anything but a list.
 */
function listOf<T>({ name }: IdFamily, need: string, value: readonly T[], field?: string): T[] {
  if (Array.isArray(value)) return Array.from(value)
  throw new IdError('INVALID_TYPE', `${name}: ${need}, not ${show(value)}`, { family: name, field, value })
}

/** Undefined if the family refuses the bytes, as one of your own may: then no id of it was sealed. */
function idOf<AnId extends string>(family: IdFamily<AnId>, bytes: Uint8Array): AnId | undefined {
  try {
    return family.encode(bytes)
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}
