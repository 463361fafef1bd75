import type { ContractAdapter } from './adapter.js'
import { testColumns } from './columns.js'
import { testOneId } from './one-id.js'
import * as reads from './reads.js'
import { describeVariants, testPaths } from './suite.js'
import { testUnawaited } from './unawaited.js'
import type { Variant } from './variant.js'
import * as writes from './writes.js'

export type { ContractAdapter, ContractPaths, Path, Paths, Refusal, Written } from './adapter.js'
export type { Created, Declared, FeatureAdapter, FeatureSession } from './features/adapter.js'
export { describeFeatures, OPAQUE } from './features/suite.js'
export { type Finder, type FindSession, testFind } from './find.js'
export type { Key, Keyed, Log, MatrixAdapter, Mode, Program } from './matrix/adapter.js'
export { describeMatrix } from './matrix/suite.js'
export { describeRawSql, type RawColumn, type RawSql } from './raw/suite.js'
export type { Cell } from './record.js'
export type { Customer, Graph, Junction, NewCustomer, NewGraph, NewOrder, Order } from './schema.js'
export type { Awaitable, Unawaited } from './unawaited.js'
export {
  type Contestant,
  contestants,
  converts,
  differing,
  prefixedContestants,
  storageDatabase,
  type Variant,
  variantsOf,
} from './variant.js'

/**
 * The promises of every ORM package, as tests: assertions × paths × variants. An adapter supplies the paths;
 * the assertions are here, the same for all.
 */
export function describeContract<Session>(
  general: ContractAdapter<Session>,
  variants: readonly Variant[],
): void {
  describeVariants(general, variants, (scene) => {
    const adapter = { ...general, ...general.instead?.[scene.variant.database] }

    testColumns(scene)

    testPaths(adapter, scene, 'insert', adapter.inserts, writes.inserts)
    testPaths(adapter, scene, 'upsert', adapter.upserts, writes.upserts)
    testPaths(adapter, scene, 'insert with related rows', adapter.graphs, writes.graphs)
    testPaths(adapter, scene, 'update by id', adapter.updates, writes.updates)
    testPaths(adapter, scene, 'delete by id', adapter.deletes, writes.deletes)
    testPaths(adapter, scene, 'link', adapter.links, writes.links)
    testPaths(adapter, scene, 'unlink', adapter.unlinks, writes.unlinks)

    testPaths(adapter, scene, 'find by id', adapter.byId, reads.byId)
    testPaths(adapter, scene, 'find by ids', adapter.byIds, reads.byIds)
    testPaths(adapter, scene, 'find by range of ids', adapter.byRange, reads.byRange)
    testPaths(adapter, scene, 'find by time', adapter.createdBetween, reads.createdBetween)
    testPaths(adapter, scene, 'find by an id that is not the key', adapter.byTrace, reads.byTrace)
    testPaths(adapter, scene, 'find by a related id', adapter.byOrder, reads.byOrder)
    testPaths(adapter, scene, 'load related rows', adapter.graph, reads.graph)
    testPaths(adapter, scene, 'page by id', adapter.page, reads.page)
    testPaths(adapter, scene, 'min and max', adapter.ends, reads.ends)
    testPaths(adapter, scene, 'group by id', adapter.counts, reads.counts)

    testOneId(scene, adapter)

    if (adapter.unawaited) testUnawaited(scene, adapter.unawaited)

    testPaths(adapter, scene, 'write without the package, which must fail', adapter.around, writes.around)
  })
}
export { MISTAKES, type Mistake, type Mistakes, WRONG } from './mistakes.js'
