import { defineFamily, type Id, IdError, type IdFamily, type IdGenerator } from '@snoflax/core'

/** A family such as a user could bring: seconds since 2020 and a number, as 16 hex digits. */
export type TicketId = Id<'salesTicket'>

export interface TicketFields {
  readonly timeMs: number
  readonly deskNumber: number
}

const EPOCH_MS = Date.UTC(2020, 0, 1)
const BYTES = 8

function decode(text: string): Uint8Array {
  if (/^[0-9a-f]{16}$/.test(text)) return Uint8Array.from(Buffer.from(text, 'hex'))
  throw new IdError('INVALID_CHARACTER', 'salesTicket: 16 hex digits', { family: 'salesTicket', value: text })
}

function encode(bytes: Uint8Array): TicketId {
  if (bytes.length === BYTES) return Buffer.from(bytes).toString('hex') as TicketId
  throw new IdError('INVALID_LENGTH', 'salesTicket: 8 bytes', { family: 'salesTicket', value: bytes })
}

function pack({ timeMs, deskNumber }: TicketFields): TicketId {
  const bytes = new DataView(new ArrayBuffer(BYTES))
  bytes.setUint32(0, Math.ceil((timeMs - EPOCH_MS) / 1000))
  bytes.setUint32(4, deskNumber)
  return encode(new Uint8Array(bytes.buffer))
}

function unpack(id: TicketId): TicketFields {
  const bytes = new DataView(decode(id).buffer)
  return { timeMs: EPOCH_MS + bytes.getUint32(0) * 1000, deskNumber: bytes.getUint32(4) }
}

export const ticket: IdFamily<TicketId, TicketFields> = defineFamily({
  name: 'salesTicket',
  layout: {
    fields: [
      { name: 'time', bits: 32 },
      { name: 'deskNumber', bits: 32 },
    ],
    epochMs: EPOCH_MS,
    unitMs: 1000,
  },
  byteLength: BYTES,
  textLength: 2 * BYTES,
  pattern: /^[0-9a-f]{16}$/,
  storages: ['text', 'bigint', 'binary', 'uuid8'],
  tag: 0,
  firstMs: EPOCH_MS,
  lastMs: EPOCH_MS + (2 ** 32 - 1) * 1000,
  encode,
  decode,
  pack,
  unpack,
  timeMs: (id) => unpack(id).timeMs,
  lowerBoundMs: (timeMs) => pack({ timeMs, deskNumber: 0 }),
})

export function ticketGenerator(): IdGenerator<TicketId> {
  let deskNumber = 0
  const generate = (): TicketId => pack({ timeMs: Date.now(), deskNumber: ++deskNumber })
  return { family: ticket, generate, batch: (count) => Array.from({ length: count }, generate) }
}
