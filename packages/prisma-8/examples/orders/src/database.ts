import sqlite from '@prisma/orm-sqlite/runtime'
import { sno } from '@snoflax/core'
import { withIds } from '@snoflax/prisma-8/sqlite/runtime'
import type { Contract } from './generated/contract.d.ts'
import contractJson from './generated/contract.json' with { type: 'json' }

/** Generates the ids of orders. A second process needs another partition; see docs/leases.md. */
export const orderIds = sno.generator({ partition: 1 })

export const db = sqlite<Contract>(
  withIds({ contractJson, path: process.env['ORDERS_DB'] ?? './orders.db', generators: { sno: orderIds } }),
)
