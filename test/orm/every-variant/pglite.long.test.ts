import { describeContractOn } from '../adapter.js'

await describeContractOn('pglite', { isWhole: true })
