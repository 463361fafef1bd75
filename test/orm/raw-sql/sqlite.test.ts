import { describeRawSqlOn } from '../adapter.js'

await describeRawSqlOn('sqlite')
