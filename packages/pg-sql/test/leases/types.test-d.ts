import {
  type FlakeGenerator,
  flake,
  flax,
  type IdGenerator,
  type SnoGenerator,
  type SnoId,
  sno,
} from '@snoflax/core'
import type { PartitionLease } from '@snoflax/leases'
import { type LeaseClient, leasePartition } from '@snoflax/pg-sql'
import type { PgliteDatabase, PostgresDatabase } from '@snoflax/test'
import { expectTypeOf } from 'vitest'

declare const client: LeaseClient
const numbers = { min: 1, max: 64 }

// The family decides the generator.
expectTypeOf(leasePartition(client, { family: sno, numbers })).resolves.toEqualTypeOf<
  PartitionLease<SnoGenerator>
>()
expectTypeOf(leasePartition(client, { family: flake.withEpoch(0), numbers })).resolves.toEqualTypeOf<
  PartitionLease<FlakeGenerator>
>()
expectTypeOf<SnoGenerator>().toExtend<IdGenerator<SnoId>>()

// And what else the generator can be told.
void leasePartition(client, { family: sno, numbers, generator: { meta: 3 } })
void leasePartition(client, { family: flake, numbers, generator: { onOverflow: 'throw' } })
// @ts-expect-error flake has no metabyte
void leasePartition(client, { family: flake, numbers, generator: { meta: 3 } })
// @ts-expect-error the lease decides the partition
void leasePartition(client, { family: sno, numbers, generator: { partition: 3 } })
// @ts-expect-error flax has no number
void leasePartition(client, { family: flax, numbers })
// @ts-expect-error numbers have two ends
void leasePartition(client, { family: sno, numbers: { min: 1 } })

// What can be leased with.
expectTypeOf<PostgresDatabase['pool']>().toExtend<LeaseClient>()
expectTypeOf<PgliteDatabase['connection']>().toExtend<LeaseClient>()

// At the end of a block.
expectTypeOf<PartitionLease<SnoGenerator>>().toExtend<AsyncDisposable>()
