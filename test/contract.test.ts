import { flake, flax } from '@snoflax/core'
import { databases } from '@snoflax/test'
import { contestants, describeContract, variantsOf } from '@snoflax/test/contract'
import { plain } from './plain/adapter.js'

// PGlite is PostgreSQL behind another driver: these two families have every form of value between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

// The contract can be met: statements by hand meet it, in every storage of every family.
for (const { name } of databases) {
  describeContract(plain, variantsOf(name, name === 'pglite' ? { families } : {}))
}
