import { randomUUID } from 'node:crypto'
import { p } from '@mikro-orm/core'
import { createId } from '@paralleldrive/cuid2'

/** `usr_tz4a98xxat96iws9zmbrgj3a` */
export const key = (prefix: string) => p.string().length(40).primary().onCreate(() => `${prefix}_${createId()}`)

export const row = { id: p.uuid().primary().onCreate(() => randomUUID()), madeAt: p.datetime().onCreate(() => new Date()) }
