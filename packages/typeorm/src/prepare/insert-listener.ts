import type { EntityMetadata } from 'typeorm'
import { makeIds } from '../write/make-ids.js'
import { beginInsert, deferForeignKeys, endInsert, isWaitedFor } from '../write/pending.js'
import { idColumnsIn } from './prepared-column.js'

type Listeners = EntityMetadata['beforeInsertListeners']

/**
 * Makes the ids of an entity before its own `@BeforeInsert` and the subscribers run, so that they see them.
 */
export function makeIdsBeforeListeners(metadata: EntityMetadata): void {
  deferForeignKeys(metadata)
  const columns = idColumnsIn(metadata).filter(({ source }) => source !== undefined)
  if (columns.length === 0) return
  if (isWaitedFor(metadata)) {
    first(metadata.beforeInsertListeners, beginInsert)
    first(metadata.afterInsertListeners, endInsert)
  }
  first(metadata.beforeInsertListeners, (entity) => void makeIds(columns, entity))
}

function first(listeners: Listeners, execute: (entity: object) => void): void {
  listeners.unshift({ isAllowed: () => true, execute } as unknown as Listeners[number])
}
