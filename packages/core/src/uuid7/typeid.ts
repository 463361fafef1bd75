import { derivePrefixed, type PrefixedFamily } from '../prefixed/index.js'
import { checkTypeidPrefix } from '../prefixed/text.js'
import { checkOptions } from '../primitives/options.js'
import { bytesOfUuid, uuidText } from '../storage/uuid.js'
import { suffixFamily, type TypeidSuffixFamily } from './typeid-suffix.js'

export type { TypeidSuffix, TypeidSuffixFamily } from './typeid-suffix.js'

/** Options of {@link typeid}. */
export interface TypeidOptions {
  /**
   * Which UUIDs the suffix may contain when ids are read: those of version 7, the default, or `any`, as for keys
   * that were UUIDs of version 4. Other versions have no time: `timeMs` is NaN, and ranges on the key are not exact.
   */
  readonly uuids?: 'v7' | 'any'
}

/** A family of TypeIDs: the suffix's members, with the prefix, and conversions from and to UUIDs. */
export type TypeidFamily<Prefix extends string = string> = PrefixedFamily<Prefix, TypeidSuffixFamily> & {
  /** The UUID behind the prefix, as text. */
  toUuid(id: ReturnType<PrefixedFamily<Prefix, TypeidSuffixFamily>['parse']>): string
  /**
   * The id of a UUID's text.
   *
   * @throws {IdError} `NOT_CANONICAL` for another version than 7, unless `uuids: 'any'`; `INVALID_TYPE`,
   * `INVALID_LENGTH`, `INVALID_CHARACTER`.
   */
  fromUuid(text: string): ReturnType<PrefixedFamily<Prefix, TypeidSuffixFamily>['parse']>
}

const VERSION_7 = /* @__PURE__ */ suffixFamily('v7')

/**
 * TypeID (github.com/jetify-com/typeid, 0.3): a UUIDv7 as 26 characters after a prefix, `user_01h455vb4pex5vsknk084sn02q`.
 * See spec/typeid.md. Without a prefix, as the specification allows, it is `typeid(prefix).base`.
 *
 * @param prefix 1 to 63 of a-z and `_`, with a letter at both ends.
 * @throws {IdError} `INVALID_OPTION` for another prefix.
 *
 * @example
 * const userId = typeid('user')
 * const id = userId.generate() // Id<'user'>, e.g. 'user_01kamfkv2deraxck8rpt2rtm9e'
 * userId.time(id) // when it was generated
 * userId.toUuid(userId.parse('user_01h455vb4pex5vsknk084sn02q')) // '01890a5d-ac96-774b-bcce-b302099a8057'
 */
export function typeid<const Prefix extends string>(
  prefix: Prefix,
  options: TypeidOptions = {},
): TypeidFamily<Prefix> {
  const { uuids = 'v7' } = checkOptions('typeid', options, { uuids: ['v7', 'any'] })
  checkTypeidPrefix(prefix)
  const family = derivePrefixed(uuids === 'v7' ? VERSION_7 : suffixFamily('any'), prefix)
  return Object.assign(family, {
    toUuid: (id: never) => uuidText(family.decode(id)),
    fromUuid: (text: string) => family.encode(bytesOfUuid(prefix, text)),
  }) as TypeidFamily<Prefix>
}
