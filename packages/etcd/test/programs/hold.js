import { etcdLeases } from '@snoflax/etcd'
import { holdLeases } from '@snoflax/test/leases'

await holdLeases((servers) =>
  etcdLeases({ endpoints: servers.map(({ host, port }) => `http://${host}:${port}`), timeoutMs: 300 }),
)
