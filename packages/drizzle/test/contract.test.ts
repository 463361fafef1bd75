import { flake, flax } from '@snoflax/core'
import { databases } from '@snoflax/test'
import { contestants, describeContract, variantsOf } from '@snoflax/test/contract'
import { drizzleAdapter, mysqlAdapter } from './contract/adapter.js'

// PGlite is PostgreSQL behind another driver: these two families have every form of value between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

for (const { name } of databases) {
  describeContract(
    name === 'mysql' ? mysqlAdapter : drizzleAdapter,
    variantsOf(name, name === 'pglite' ? { families } : {}),
  )
}
