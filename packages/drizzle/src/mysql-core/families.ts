import { flake, flax, sno, uid, uidLocal } from '@snoflax/core'
import { idColumn } from './id-column.js'

/** flax ids: `flaxId().primaryKey()`. */
export const flaxId = /* @__PURE__ */ idColumn(flax)
/** sno ids: `snoId({ meta: 2 }).primaryKey()`. */
export const snoId = /* @__PURE__ */ idColumn(sno)
/** flake ids: `flakeId({ generator: flake.generator({ datacenter: 1, worker: 2 }) }).primaryKey()`. */
export const flakeId = /* @__PURE__ */ idColumn(flake)
/** uid ids: `uidId({ generator: uid.generator({ node: 'app@10.0.0.7' }) }).primaryKey()`. */
export const uidId = /* @__PURE__ */ idColumn(uid)
/** uidLocal ids: `uidLocalId({ generator: uidLocal.generator() }).primaryKey()`. */
export const uidLocalId = /* @__PURE__ */ idColumn(uidLocal)
