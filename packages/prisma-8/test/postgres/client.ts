import postgres from '@prisma/orm-postgres/runtime'
import { withIds } from '@snoflax/prisma-8/runtime'
import type { Untyped } from '../operations.ts'

/** Clients of a contract, with the extension and without. */
export const clientOf = (options: Untyped): Untyped => postgres<Untyped>(withIds(options) as Untyped)
export const bareClientOf = (options: Untyped): Untyped => postgres(options)
