import { flake, flax, sno, uid, uidLocal } from '@snoflax/core'
import { idColumn } from './id-column.js'

/**
 * Columns of flax ids: generated, `flaxId.ref()` and `flaxId.plain()`.
 *
 * @example
 * const customers = pgTable('customers', { id: flaxId().primaryKey() })
 * const orders = pgTable('orders', {
 *   id: snoId().primaryKey(),
 *   customerId: flaxId.ref().references(() => customers.id),
 * })
 */
export const flaxId = /* @__PURE__ */ idColumn(flax)
/**
 * Columns of sno ids: generated, with a metabyte from 0 to 255 if you like, `snoId.ref()` and
 * `snoId.plain()`.
 *
 * @example
 * const orders = pgTable('orders', { id: snoId({ meta: 2 }).primaryKey(), traceId: snoId.plain() })
 */
export const snoId = /* @__PURE__ */ idColumn(sno)
/**
 * Columns of flake ids: generated, by the generator that you give, `flakeId.ref()` and `flakeId.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator, when the table is defined.
 *
 * @example
 * const generator = flake.generator({ datacenter: 1, worker: 2 })
 * const tickets = pgTable('tickets', { id: flakeId({ generator }).primaryKey() })
 */
export const flakeId = /* @__PURE__ */ idColumn(flake)
/**
 * Columns of global uid ids: generated, by the generator that you give, `uidId.ref()` and `uidId.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator, when the table is defined.
 *
 * @example
 * const generator = uid.generator({ node: 'app@10.0.0.7' })
 * const events = pgTable('events', { id: uidId({ generator }).primaryKey() })
 */
export const uidId = /* @__PURE__ */ idColumn(uid)
/**
 * Columns of local uid ids: generated, by the generator that you give, `uidLocalId.ref()` and
 * `uidLocalId.plain()`.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` without a generator, when the table is defined.
 *
 * @example
 * const generator = uidLocal.generator()
 * const readings = pgTable('readings', { id: uidLocalId({ generator }).primaryKey() })
 */
export const uidLocalId = /* @__PURE__ */ idColumn(uidLocal)
