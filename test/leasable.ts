import { flake, type IdFamily, type IdGenerator, type StorageName, sno } from '@snoflax/core'
import type { LeaseOptions, PartitionLease } from '@snoflax/leases'
import { leasePartition } from '@snoflax/pg-sql'
import type { Pool } from 'pg'
import { expect } from 'vitest'

/** A family whose generators take a leased number. */
export interface Leasable {
  readonly family: IdFamily<string>
  readonly storage: StorageName
  lease(client: Pool, options?: Partial<LeaseOptions<typeof sno>>): Promise<Lease>
  /** The number in an id. */
  numberOf(id: string): number
}

export type Lease = Pick<
  PartitionLease<IdGenerator<string>>,
  'generator' | 'partition' | 'signal' | 'release'
>

const NUMBERS = { min: 40, max: 49 }

export const LEASABLE: Record<string, Leasable> = {
  sno: {
    family: sno as unknown as IdFamily<string>,
    storage: 'uuid',
    lease: (client, options) => leasePartition(client, { family: sno, numbers: NUMBERS, ...options }),
    numberOf: (id) => sno.unpack(sno.parse(id)).partition,
  },
  flake: {
    family: flake as unknown as IdFamily<string>,
    storage: 'bigint',
    lease: (client, { generator: _, ...options } = {}) =>
      leasePartition(client, { family: flake, numbers: NUMBERS, ...options }),
    numberOf: (id) => {
      const { datacenter, worker } = flake.unpack(flake.parse(id))
      return datacenter * 32 + worker
    },
  },
}

/** The error of a write without a lease. */
export const EXPIRED = { name: 'IdError', code: 'LEASE_EXPIRED', path: expect.any(String) }
