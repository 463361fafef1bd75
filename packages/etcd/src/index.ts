export type { Fetch } from './gateway.js'
export { type EtcdLeases, type EtcdOptions, etcdLeases } from './leases.js'
