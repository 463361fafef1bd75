import { describeContractOn } from '../adapter.js'

await describeContractOn('sqlite', { isWhole: true })
