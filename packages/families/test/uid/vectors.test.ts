import { uid, uidLocal } from '@snoflax/families'
import { expect, test } from 'vitest'
import { bytesOf, hexOf, latin1 } from '../../../core/test/bytes.js'
import { checkVectors } from '../../../core/test/check-vectors.js'
import { timeAfterCut } from '../../../core/test/recorded-vectors.js'
import { expectRefusal } from '../../../core/test/refusal.js'
import {
  globalFields,
  localFields,
  type NativeUid,
  packGlobal,
  packLocal,
} from '../../../core/test/uid-natives.js'

interface Encoded {
  readonly A: number
  readonly B: number
  readonly C: number
  readonly seq: number
  readonly hex: string
  readonly text: string
  readonly decoded: NativeUid
  readonly timeMs: number
}

interface Decoded {
  readonly I: number
  readonly hex: string
  readonly text?: string
  readonly result: NativeUid | null
}

/** The reference's texts are bytes; one character for each of them. */
const asBytes = (text: string): string => latin1(Buffer.from(text).toString('hex'))

function checkLocal(hex: string, text: string, native: NativeUid): void {
  const id = uidLocal.encode(bytesOf(hex))
  expect(id).toBe(text)
  expect(hexOf(uidLocal.decode(text))).toBe(hex)
  expect(uidLocal.unpack(id)).toEqual(localFields(native))
  expect(packLocal(native)).toBe(text)
}

function checkGlobal(neighbourhood: number, hex: string, text: string, native: NativeUid): void {
  const family = uid.withNeighbourhood(neighbourhood)
  const id = family.encode(bytesOf(hex))
  expect(id).toBe(text)
  expect(hexOf(family.decode(text))).toBe(hex)
  expect(family.unpack(id)).toEqual(globalFields(native))
  expect(packGlobal(native, family)).toBe(text)
}

function checkRefusedBytes(hex: string): void {
  expectRefusal(() => uid.encode(bytesOf(hex)), 'INVALID_LENGTH')
  expectRefusal(() => uidLocal.encode(bytesOf(hex)), 'INVALID_LENGTH')
}

/** Bare bytes of an id's size, in the family that has this size. */
function checkBareBytes(hex: string, text: string): void {
  const family = hex.length === 16 ? uidLocal : uid
  expect(family.encode(bytesOf(hex))).toBe(text)
  expect(hexOf(family.decode(text))).toBe(hex)
}

checkVectors('uidCodec', {
  local({ A, B, C, seq, hex, text, decoded, timeMs }: Encoded) {
    checkLocal(hex, text, decoded)
    expect(packLocal({ t: [A, B, C], seq })).toBe(text)
    expect(uidLocal.time(uidLocal.parse(text))).toEqual(new Date(timeAfterCut(timeMs, C)))
  },
  global({ A, B, C, seq, nodeHex, I, hex, text, decoded, timeMs }: Encoded & { nodeHex: string; I: number }) {
    checkGlobal(I, hex, text, decoded)
    const family = uid.withNeighbourhood(I)
    expect(packGlobal({ t: [A, B, C], seq, nodeHex }, family)).toBe(text)
    expect(family.time(family.parse(text))).toEqual(new Date(timeAfterCut(timeMs, C)))
  },
  time({ input, timeMs }: { input: NativeUid; timeMs: number }) {
    const expected = timeAfterCut(timeMs, input.t[2])
    if (input.nodeHex === undefined) expect(uidLocal.timeMs(packLocal(input))).toBe(expected)
    else expect(uid.timeMs(packGlobal(input))).toBe(expected)
  },
  nodeHash({ node, hash, nodeHex }: { node: string; hash: number; nodeHex: string }) {
    expect(uid.fingerprint(node)).toBe(hash)
    expect(uid.fingerprint(hash)).toBe(hash)
    expect(hash.toString(16).padStart(8, '0')).toBe(nodeHex)
  },
  decodeOnNode({ I, hex, text, result }: Required<Decoded>) {
    checkGlobal(I, hex, text, result as NativeUid)
    const name = result?.node
    if (typeof name === 'string') expect(uid.fingerprint(name)).toBe(globalFields(result as NativeUid).node)
  },
  encodeOdd({ uid: native, result }: { uid: NativeUid; result: string }) {
    expect(hexOf(uidLocal.decode(packLocal(native)))).toBe(result)
  },
  decodeOdd({ I, hex, result }: Decoded) {
    if (result === null) checkRefusedBytes(hex)
    else if (result.nodeHex === undefined) checkLocal(hex, uidLocal.encode(bytesOf(hex)), result)
    else checkGlobal(I, hex, uid.encode(bytesOf(hex)), result)
  },
  decode64Odd({ I, tag, text, result }: { I: number; tag: string; text: string; result: NativeUid | null }) {
    if (result !== null) {
      checkGlobal(I, hexOf(uid.decode(text)), text, result)
    } else if (tag === 'alphabet') {
      expectRefusal(() => uid.decode(asBytes(text)), 'INVALID_CHARACTER')
    } else {
      expectRefusal(() => uid.decode(text), 'INVALID_LENGTH')
      expectRefusal(() => uidLocal.decode(text), 'INVALID_LENGTH')
    }
  },
  b64: ({ hex, text }: { hex: string; text: string }) => checkBareBytes(hex, text),
  b64decode: ({ text, result }: { text: string; result: string }) => checkBareBytes(result, text),
})

// Erlang's phash2 of an atom is the ELF hash of its bytes: Latin-1 where one byte does, else UTF-8.
test.each(['\u00ff', '\u0100', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}'])(
  'the fingerprint of a name with %j',
  (name) => {
    const point = name.codePointAt(0) as number
    let hash = 0n
    for (const byte of point < 0x100 ? [point] : new TextEncoder().encode(name)) {
      hash = ((hash << 4n) + BigInt(byte)) & 0xffff_ffffn
      const top = hash & 0xf000_0000n
      hash ^= (top >> 24n) ^ top
    }
    expect(uid.fingerprint(name)).toBe(Number(hash))
  },
)
