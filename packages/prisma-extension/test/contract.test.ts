import { describeContract, type Variant, variantsOf } from '@snoflax/test/contract'
import { prismaAdapter } from './contract/adapter.js'

/** Each family, each storage, and both together where a driver's value takes a way of its own. */
const CHOSEN: Partial<Record<Variant['database'], readonly string[]>> = {
  postgres: [
    ...['flax as uuid', 'flax as text', 'flax as binary', 'flax as uuid8', 'sno as uuid', 'sno as binary'],
    ...['uid as text', 'uid as uuid8', 'flake as bigint', 'flake as binary', 'uidLocal as bigint'],
  ],
  sqlite: ['flax as text', 'sno as binary', 'uid as text', 'flake as binary', 'uidLocal as text'],
  pglite: ['flax as uuid'],
}

const variants = (['postgres', 'sqlite', 'pglite'] as const).flatMap((database) =>
  variantsOf(database).filter(({ family, storage }) =>
    CHOSEN[database]?.includes(`${family.name} as ${storage}`),
  ),
)
if (variants.length !== Object.values(CHOSEN).flat().length) throw new Error('a variant is not known')

describeContract(prismaAdapter, variants)
