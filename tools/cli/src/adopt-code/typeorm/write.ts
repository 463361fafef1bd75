import type { Dialect } from '../classes/write.js'
import type { Definitions } from '../definitions.js'
import { isText, type KeyPlan } from '../plan.js'
import { Unwritable } from '../written.js'

/** Options of TypeORM's columns that id columns have, too. */
const SHARED = ['name', 'comment', 'nullable', 'select', 'unique', 'primaryKeyConstraintName']

/** How TypeORM's keys are written. */
export const typeorm = ({ isBranded }: Definitions): Dialect => ({
  module: /^typeorm$/,
  decorators: /^Primary(?:Generated)?Column$/,
  refused: 'Generated',
  ofType: ['type', 'length', 'primary', 'generated'],
  imported: ['IdColumn', '@snoflax/typeorm'],
  write(_, definition, options, key) {
    const strange = options.find(({ name }) => !SHARED.includes(name))
    if (strange) throw new Unwritable(`${strange.text} is no option of an id column`)
    const all = [...options.map(({ text }) => text), ...typeOf(key), ...(isBranded ? [] : ['branded: false'])]
    return `@IdColumn(${definition}, { ${all.join(', ')} })`
  },
})

function typeOf({ column: { type, isUuidGenerated } }: KeyPlan): string[] {
  if (isUuidGenerated) return ["type: 'uuid'", "generated: 'uuid'"]
  const [, name = type, length] = /^(.*?)(?:\((\d+)\))?$/.exec(type) ?? []
  const plain = name === 'character varying' ? 'varchar' : name
  const other = isText(type) ? ["onMismatch: 'notFound'"] : []
  return [`type: '${plain}'`, ...(length ? [`length: ${length}`] : []), ...other]
}
