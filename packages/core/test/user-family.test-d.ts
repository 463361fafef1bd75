import {
  defineFamily,
  type FamilyDefinition,
  type Id,
  type IdFamily,
  type IdRange,
  type SnoId,
  storageFor,
} from '@snoflax/core'
import { expectTypeOf, test } from 'vitest'
import { type TicketFields, type TicketId, ticket } from './ticket.js'

declare const definition: FamilyDefinition<TicketId, TicketFields>
declare const snoId: SnoId

test('defineFamily keeps the types of its definition', () => {
  const family = defineFamily(definition)
  expectTypeOf(family).toEqualTypeOf<IdFamily<TicketId, TicketFields>>()
  expectTypeOf<TicketId>().toEqualTypeOf<Id<'ticket'>>()
  expectTypeOf(family.range(0, 1)).toEqualTypeOf<IdRange<TicketId>>()
  expectTypeOf(family.unpack).returns.toEqualTypeOf<TicketFields>()
  expectTypeOf(storageFor(ticket, 'postgres').fromDatabase('')).toEqualTypeOf<TicketId>()
  // @ts-expect-error a sno is no ticket
  ticket.time(snoId)
  // @ts-expect-error a ticket has no meta
  ticket.pack({ timeMs: 0, desk: 0, number: 0, meta: 1 })
})

test('a definition requires what cannot be derived', () => {
  const { lowerBoundMs: _, ...incomplete } = definition
  // @ts-expect-error without bounds
  defineFamily(incomplete)
  // @ts-expect-error a storage that there is not
  defineFamily({ ...definition, storages: ['hex'] })
  defineFamily({ ...definition, exactRange: false, upperBoundMs: definition.lowerBoundMs })
})
