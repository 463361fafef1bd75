import { defineFamily, type Id, IdError, type IdFamily } from '@snoflax/core'

/** A family such as a user could bring: seconds, desk and a number, as 16 hex digits. */
export type TicketId = Id<'ticket'>

export interface TicketFields {
  readonly timeMs: number
  readonly desk: number
  readonly number: number
}

export const TICKET_EPOCH_MS = Date.UTC(2020, 0, 1)
const LAST_MS = TICKET_EPOCH_MS + (2 ** 32 - 1) * 1000
const PATTERN = /^[0-9a-f]{16}$/
const BYTES = 8

function decode(text: string): Uint8Array {
  if (typeof text !== 'string') throw new IdError('INVALID_TYPE', 'ticket: an id must be a string')
  if (text.length !== 2 * BYTES)
    throw new IdError('INVALID_LENGTH', 'ticket: 16 digits', { family: 'ticket' })
  const position = text.search(/[^0-9a-f]/)
  if (position >= 0) throw new IdError('INVALID_CHARACTER', 'ticket: hex', { family: 'ticket', position })
  return Uint8Array.from({ length: BYTES }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
}

const encode = (bytes: Uint8Array): TicketId =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') as TicketId

function pack({ timeMs, desk, number }: TicketFields): TicketId {
  const bytes = new Uint8Array(BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.ceil((timeMs - TICKET_EPOCH_MS) / 1000))
  view.setUint32(4, desk * 2 ** 24 + number)
  return encode(bytes)
}

function unpack(id: TicketId): TicketFields {
  const view = new DataView(decode(id).buffer)
  return {
    timeMs: TICKET_EPOCH_MS + view.getUint32(0) * 1000,
    desk: view.getUint8(4),
    number: view.getUint32(4) % 2 ** 24,
  }
}

export const ticket: IdFamily<TicketId, TicketFields> = defineFamily({
  name: 'ticket',
  layout: {
    fields: [
      { name: 'time', bits: 32 },
      { name: 'desk', bits: 8 },
      { name: 'number', bits: 24 },
    ],
    epochMs: TICKET_EPOCH_MS,
    unitMs: 1000,
  },
  byteLength: BYTES,
  textLength: 2 * BYTES,
  pattern: PATTERN,
  storages: ['text', 'bigint', 'binary', 'uuid', 'uuid8'],
  tag: 0,
  firstMs: TICKET_EPOCH_MS,
  lastMs: LAST_MS,
  encode,
  decode,
  pack,
  unpack,
  timeMs: (id) => unpack(id).timeMs,
  lowerBoundMs: (timeMs) => pack({ timeMs, desk: 0, number: 0 }),
})
