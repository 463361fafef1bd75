import { databases } from '@snoflax/test'
import { describeContract, variantsOf } from '@snoflax/test/contract'
import { plain } from './plain/adapter.js'

// The contract can be met: statements by hand meet it, in every storage of every family.
for (const { name } of databases) describeContract(plain, variantsOf(name))
