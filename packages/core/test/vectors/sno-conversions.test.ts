import { IdError, sno, storageFor } from '@snoflax/core'
import { expect } from 'vitest'
import { bytesOf, hexOf } from '../bytes.js'
import { checkVectors } from '../check-vectors.js'
import { thrownBy } from '../refusal.js'

interface Marshalled {
  readonly hex: string
  readonly json: string
  readonly inStructOmitEmpty: string
  readonly asMapKey: string
  readonly marshalText: string
  readonly marshalBinaryHex: string
  readonly sqlValueHex: string
}

interface Scanned {
  readonly input: { readonly type: string; readonly hex?: string; readonly value?: unknown }
  readonly error: unknown
  readonly receiverAfter: string
}

const isRefusal = (error: unknown): boolean => error instanceof IdError

checkVectors('snoConversions', {
  marshal({ hex, json, inStructOmitEmpty, asMapKey, ...forms }: Marshalled) {
    const id = sno.encode(bytesOf(hex))
    expect(JSON.stringify(sno.toJson(id))).toBe(json)
    expect(JSON.stringify({ id: sno.toJson(id) })).toBe(inStructOmitEmpty)
    expect(JSON.stringify({ [id]: 1 })).toBe(asMapKey)
    expect(sno.fromJson(JSON.parse(json))).toBe(id)
    expect(id).toBe(forms.marshalText)
    expect(hexOf(sno.decode(id))).toBe(forms.marshalBinaryHex)
    const column = storageFor(sno, 'postgres', { storage: 'binary' })
    expect(hexOf(column.toDatabase(id) as Uint8Array)).toBe(forms.sqlValueHex)
  },
  unmarshalJSON({
    json,
    canonical,
    receiverAfter,
  }: {
    json: string
    canonical: boolean
    receiverAfter: string
  }) {
    if (canonical) expect(hexOf(sno.decode(sno.fromJson(JSON.parse(json))))).toBe(receiverAfter)
    else expect(thrownBy(() => sno.fromJson(JSON.parse(json)))).toSatisfy(isRefusal)
  },
  scan({ input: { type, hex, value }, error, receiverAfter }: Scanned) {
    const scanned = type === 'bytes' ? bytesOf(hex as string) : value
    for (const database of ['postgres', 'sqlite', 'mysql', 'mariadb'] as const) {
      const column = storageFor(sno, database)
      if (error === null) expect(hexOf(sno.decode(column.fromDatabase(scanned)))).toBe(receiverAfter)
      else expect(thrownBy(() => column.fromDatabase(scanned))).toSatisfy(isRefusal)
    }
  },
})
