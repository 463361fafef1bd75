import { checkInteger, fail, refuseType } from '@snoflax/core/define'
import { MAX_NODE } from './layout.js'

/** A node: its name, or the name's 32-bit fingerprint, which ids contain. */
export type UidNode = string | number

/** The fingerprint of a node, 0 to 2^32 - 1. @throws {IdError} `INVALID_TYPE`, `FIELD_OUT_OF_RANGE`. */
export function fingerprint(family: string, node: UidNode): number {
  if (typeof node === 'number') return checkInteger(family, 'node', node, 0, MAX_NODE)
  if (typeof node !== 'string')
    refuseType(family, 'a node must be a name or a 32-bit fingerprint', node, 'node')
  if (node === '') {
    fail(
      'INVALID_OPTION',
      family,
      'a node name must not be empty; is an environment variable unset?',
      node,
      'node',
    )
  }
  return hashAtom(node)
}

/** Erlang's phash2 of the atom with this name. */
function hashAtom(name: string): number {
  let hash = 0
  for (const character of name) {
    for (const byte of atomBytes(character)) {
      hash = ((hash << 4) + byte) >>> 0
      const top = hash & 0xf000_0000
      hash = (hash ^ (top >>> 24) ^ top) >>> 0
    }
  }
  return hash
}

/** One byte for a Latin-1 character, else its UTF-8. */
function atomBytes(character: string): number[] {
  const point = character.codePointAt(0) as number
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f)
  if (point <= 0xff) return [point]
  if (point <= 0x7ff) return [0xc0 | (point >> 6), tail(0)]
  if (point <= 0xffff) return [0xe0 | (point >> 12), tail(6), tail(0)]
  return [0xf0 | (point >> 18), tail(12), tail(6), tail(0)]
}
