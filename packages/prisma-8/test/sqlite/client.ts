import sqlite from '@prisma/orm-sqlite/runtime'
import { withIds } from '@snoflax/prisma-8/sqlite/runtime'
import type { Untyped } from '../operations.ts'

/** Clients of a contract, with the extension and without. */
export const clientOf = (options: Untyped): Untyped => sqlite<Untyped>(withIds(options) as Untyped)
export const bareClientOf = (options: Untyped): Untyped => sqlite(options)
