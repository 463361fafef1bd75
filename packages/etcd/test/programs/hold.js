import { etcdLeases } from '@snoflax/etcd'
import { holdLeases } from '@snoflax/lease-kit'

await holdLeases((servers) =>
  etcdLeases({ endpoints: servers.map(({ host, port }) => `http://${host}:${port}`), timeoutMs: 300 }),
)
