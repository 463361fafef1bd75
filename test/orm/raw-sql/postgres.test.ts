import { describeRawSqlOn } from '../adapter.js'

await describeRawSqlOn('postgres')
