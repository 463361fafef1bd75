import { type Id, typeid, ulid, uuid7 } from '@snoflax/core'
import { discord } from '@snoflax/families'

type OrderId = Id<'uuid7', 'order'>

// What makes and reads ids takes the table's name from the type that is wanted.
export const made: OrderId = uuid7.generate()
export const past: OrderId = uuid7.generateAt(0)
export const read: OrderId = uuid7.parse('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
export const own: OrderId = uuid7.generator().generate()
export const mixed: OrderId = uuid7.withVersion4().generate()
export const bare: Id<'uuid7'> = made
// @ts-expect-error an id of another table
export const other: Id<'uuid7', 'customer'> = made
// @ts-expect-error an id of another family
export const foreign: Id<'ulid'> = made

export const label: Id<'ulid', 'label'> = ulid.fromUuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
export const message: Id<'discord', 'message'> = discord.generator({ worker: 1, process: 2 }).generate()
export const user: Id<'user'> = typeid('user').generate()
