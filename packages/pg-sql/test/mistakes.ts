import { installSql } from '@snoflax/pg-sql'
import type { Mistakes } from '@snoflax/test/contract'

export default {
  'schema that needs quotes': () => installSql({ schema: 'Ids' }),
} satisfies Mistakes
