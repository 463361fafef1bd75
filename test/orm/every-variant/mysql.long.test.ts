import { describeContractOn } from '../adapter.js'

await describeContractOn('mysql', { isWhole: true })
