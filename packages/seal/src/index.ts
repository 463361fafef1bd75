import { createCipheriv, createDecipheriv } from 'node:crypto'
import { IdError, type IdFamily, type StandardSchema } from '@snoflax/core'
import { baseOf, checkFamily, isPrefixed, show, withPath } from '@snoflax/core/adapter'
import { readBlock, TEXT_LENGTH, writeBlock } from './base64url.js'
import { deriveKey, readKeys, type SealKey } from './key.js'

export { generateSealKey, type SealKey } from './key.js'

/** A sealed id: its prefix, if it has one, and 22 URL-safe characters. */
export type SealedId<Name extends string = string> = string & {
  /** Exists in types only. */
  readonly '~sealed': Name
}

/** Options of {@link seal}. */
export interface SealOptions {
  /** The key, or several: the first one seals, and all of them open, so that a key can be replaced. */
  readonly keys: SealKey | readonly SealKey[]
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
   * keys.
   */
  open(sealed: unknown): AnId
  /**
   * Seals many ids in one call of the cipher: a list takes a fifth of the time of single calls.
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

const BLOCK_BYTES = 16
/** The limit that leaves at least 32 zero bits in the block, by which `open` recognizes our own texts. */
const LONGEST_ID = 12
/** The last character has 2 of the 128 bits. */
const TEXT = '[A-Za-z0-9_-]{21}[AQgw]'

/**
 * Seals a family's ids for URLs and APIs: a sealed id hides time, counter and order, and only the holder of the key can
 * open it. It is one AES-256 block; docs/sealed-ids.md says what it promises and what it doesn't.
 *
 * @param family a family with ids of at most 12 bytes, prefixed or not. A sealed text opens as the kind it was sealed
 * for, and as no other.
 * @throws {IdError} `INVALID_OPTION` for keys that are missing, malformed, not random or equal, for longer ids and
 * for a value that is not a family.
 *
 * @example
 * const customers = seal(flax, { keys: generateSealKey() })
 * const text = customers.seal(flax.generate()) // 22 characters, e.g. 'Yt0hSPXlqT1RZ1JtGZBs5Q'
 * flax.time(customers.open(text)) // when it was generated
 */
export function seal<AnId extends string>(family: IdFamily<AnId>, options: SealOptions): Seal<AnId> {
  checkFamily(family, 'seal: family')
  const keys = readKeys(options)
  const { byteLength } = family
  if (byteLength > LONGEST_ID) {
    const message = `${family.name}: ids of ${byteLength} bytes leave too few bits to check a sealed text; use a family of at most 12 bytes`
    throw new IdError('INVALID_OPTION', message, { family: family.name, field: 'family' })
  }
  const prefix = isPrefixed(family) ? family.prefix : ''
  const head = prefix && `${prefix}_`
  const derived = keys.map((key) => deriveKey(key, baseOf(family).name, prefix))
  const encrypt = cipherOf(derived[0] as Uint8Array)
  const decrypters = derived.map(decipherOf)
  const pattern = new RegExp(`^${head}${TEXT}$`)
  const length = head.length + TEXT_LENGTH

  // After the id it is always zeros.
  const block = new Uint8Array(BLOCK_BYTES)
  const sealId = (id: AnId): SealedId => {
    const bytes = family.decode(id)
    for (let i = 0; i < byteLength; i++) block[i] = bytes[i] as number
    return (head + writeBlock(encrypt(block), 0)) as SealedId
  }
  const sealAll = (ids: readonly AnId[]): SealedId[] => {
    const given = listOf(family, 'sealAll needs a list of ids', ids, 'ids')
    const blocks = new Uint8Array(given.length * BLOCK_BYTES)
    given.forEach((id, i) => {
      const bytes = withPath(
        () => `[${i}]`,
        () => family.decode(id),
      )
      blocks.set(bytes, i * BLOCK_BYTES)
    })
    const sealed = encrypt(blocks)
    return given.map((_, i) => (head + writeBlock(sealed, i * BLOCK_BYTES)) as SealedId)
  }

  // Every value takes the same path, whichever key fits and whatever is wrong with it: a malformed text is also
  // decrypted, as an arbitrary block.
  const sealedBlock = new Uint8Array(BLOCK_BYTES)
  const idBytes = new Uint8Array(byteLength)
  const read = (value: unknown, blocks: Uint8Array, at: number): boolean =>
    typeof value === 'string' &&
    value.length === length &&
    value.startsWith(head) &&
    readBlock(value, head.length, blocks, at)
  const find = (plains: readonly Uint8Array[], at: number, isText: boolean): AnId | undefined => {
    let found: Uint8Array | undefined
    for (const plain of plains) {
      let rest = 0
      for (let i = byteLength; i < BLOCK_BYTES; i++) rest |= plain[at + i] as number
      if (rest === 0) found ??= plain
    }
    if (!isText || found === undefined) return undefined
    for (let i = 0; i < byteLength; i++) idBytes[i] = found[at + i] as number
    return idOf(family, idBytes)
  }
  const decrypt = (blocks: Uint8Array): Uint8Array[] => decrypters.map((one) => one(blocks))

  const refuse = (sealed: unknown): never => {
    throw new IdError('INVALID_SEAL', `${family.name}: not a sealed ${family.name} id: ${show(sealed)}`, {
      family: family.name,
      value: sealed,
    })
  }
  const open = (sealed: unknown): AnId => {
    const isText = read(sealed, sealedBlock, 0)
    return find(decrypt(sealedBlock), 0, isText) ?? refuse(sealed)
  }
  const openAll = (sealed: readonly unknown[]): AnId[] => {
    const given = listOf(family, 'openAll needs a list of sealed texts', sealed)
    const blocks = new Uint8Array(given.length * BLOCK_BYTES)
    const areTexts = given.map((value, i) => read(value, blocks, i * BLOCK_BYTES))
    const plains = decrypt(blocks)
    return given.map(
      (value, i) =>
        find(plains, i * BLOCK_BYTES, areTexts[i] as boolean) ?? withPath(`[${i}]`, () => refuse(value)),
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
        input: () => ({ type: 'string', pattern: pattern.source, minLength: length, maxLength: length }),
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

type Blocks = (blocks: Uint8Array) => Uint8Array

/** One cipher for all blocks: in ECB without padding, no block depends on another. */
function cipherOf(key: Uint8Array): Blocks {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return (blocks) => cipher.update(blocks)
}

function decipherOf(key: Uint8Array): Blocks {
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return (blocks) => decipher.update(blocks)
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
