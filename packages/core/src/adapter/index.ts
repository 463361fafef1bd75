export type { Timed } from '../family.js'
export {
  baseOf,
  checkFamilies,
  checkFamily,
  isAccepting,
  isOpaque,
  isPrefixed,
  kindOf,
  labelOf,
  ownOf,
} from '../identity.js'
export { unixMs } from '../primitives/clock.js'
export { checkInteger, show } from '../primitives/errors.js'
export { checkOptions, type OptionKind, refuse } from '../primitives/options.js'
export { isBytes, isDate } from '../primitives/realms.js'
export { plainStorage } from '../storage/index.js'
export { agree, type ColumnIdentity } from './agree.js'
export { checkCondition } from './check-constraint.js'
export {
  checkColumnOptions,
  checkMismatch,
  checkOwnType,
  familyWith,
  type KeyOf,
  type KeyOptions,
  type MetaOption,
  type OnMismatch,
} from './column-options.js'
export { checkTimed, timeOf, wasCreatedBetween } from './created.js'
export {
  type CanBeKey,
  type FoundIn,
  type FoundRow,
  findRow,
  type KeyColumn,
  keysOf,
} from './find.js'
export { checkGenerating, type GeneratingColumn } from './generating.js'
export {
  checkGenerator,
  checkGeneratorNames,
  checkMeta,
  type IdSource,
  idSource,
} from './id-source.js'
export { checkKeyset, readKeyset } from './keyset.js'
export { arrayLiteral, hexOf, literalOf } from './literal.js'
export { withPath } from './path.js'
export { quoteMysqlName, quoteName, quoteText } from './quote.js'
export { type Library, type Reliance, requireMembers } from './require-members.js'
export {
  checkSchema,
  DEFAULT_SCHEMA,
  databaseDefault,
  keyStatistics,
  snakeCase,
  sqlCall,
  sqlFunction,
} from './sql-call.js'
export {
  type ColumnFault,
  columnFaults,
  type DeclaredColumn,
  fitsStored,
  POSTGRES_COLLATION,
  type RunQuery,
  refuseFaults,
  sqliteCollation,
} from './stored-columns.js'
export { storedReader } from './stored-reader.js'
