export type { GeneratorOf, GeneratorOptionsOf, LeasableFamily } from './families.js'
export { leasePartitionFrom, type PartitionLease } from './lease-partition.js'
export type { LeaseOptions, LeaseWait } from './options.js'
export { type LeaseRow, type LeaseSql, sqlLeases } from './sql-leases.js'
export type {
  LeaseGrant,
  LeaseNumbers,
  LeaseRefusal,
  LeaseRequest,
  LeaseStore,
  LeaseWindow,
} from './store.js'
