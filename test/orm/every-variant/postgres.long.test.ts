import { describeContractOn } from '../adapter.js'

await describeContractOn('postgres', { isWhole: true })
