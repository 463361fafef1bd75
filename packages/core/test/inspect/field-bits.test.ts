import { flake, type IdFamily, sno } from '@snoflax/core'
import { fieldBits } from '@snoflax/core/inspect'
import { uid } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { OURS, whole } from './families.js'

const bytesFor = ({ byteLength }: IdFamily) => fc.uint8Array({ minLength: byteLength, maxLength: byteLength })

const valuesOf = (family: IdFamily, id: string) =>
  Object.fromEntries(fieldBits(family, id).map(({ name, value }) => [name, Number(value)]))

describe('the bits of an id', () => {
  test.each([...OURS, whole as IdFamily])(
    'are those of the layout, in order and without a gap: $name',
    (family) => {
      fc.assert(
        fc.property(bytesFor(family), (bytes) => {
          const fields = fieldBits(family, family.encode(bytes))
          expect(fields.map(({ name, bits }) => ({ name, bits: bits.length }))).toEqual(family.layout.fields)
          const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
          const total = 8 * family.byteLength
          for (const { position, bits, value } of fields) {
            const width = bits.length
            expect(value).toBe((number >> BigInt(total - position - width)) & ((1n << BigInt(width)) - 1n))
            expect(value.toString(2).padStart(width, '0')).toBe(bits)
          }
        }),
      )
    },
  )

  test('have the values of unpack', () => {
    fc.assert(
      fc.property(bytesFor(sno), bytesFor(flake), bytesFor(uid), (snoBytes, flakeBytes, uidBytes) => {
        const { timeMs, ...snoFields } = sno.unpack(sno.encode(snoBytes))
        const time = (timeMs - sno.layout.epochMs) / sno.layout.unitMs
        expect(valuesOf(sno, sno.encode(snoBytes))).toEqual({ time, ...snoFields })

        const { timeMs: flakeTime, ...flakeFields } = flake.unpack(flake.encode(flakeBytes))
        expect(valuesOf(flake, flake.encode(flakeBytes))).toEqual({ time: flakeTime, ...flakeFields })

        const { megaSeconds, seconds, microSeconds, node, sequence } = uid.unpack(uid.encode(uidBytes))
        expect(valuesOf(uid, uid.encode(uidBytes))).toEqual({
          megaSeconds,
          secondsHigh: seconds >> 8,
          node,
          secondsLow: seconds & 0xff,
          step: microSeconds / 1024,
          sequence,
        })
      }),
    )
  })

  test('are read from canonical ids only', () => {
    expectRefusal(() => fieldBits(sno, 'BRPK4Q72XWF2M63L'), 'INVALID_CHARACTER')
  })
})
