import { mysql } from '@snoflax/test'
import { describeContract, variantsOf } from '@snoflax/test/contract'
import { adapter } from './contract/adapter.js'

describeContract(adapter, [
  ...variantsOf('sqlite'),
  ...variantsOf('postgres'),
  ...(mysql.selected() ? variantsOf('mysql') : []),
])
