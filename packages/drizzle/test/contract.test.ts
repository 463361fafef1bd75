import { databases } from '@snoflax/test'
import { describeContract, variantsOf } from '@snoflax/test/contract'
import { drizzleAdapter, mysqlAdapter } from './contract/adapter.js'

for (const { name } of databases) {
  describeContract(name === 'mysql' ? mysqlAdapter : drizzleAdapter, variantsOf(name))
}
