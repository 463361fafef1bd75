export { type Families, type IdIssue, type IdsOf, type IdsSchema, ids } from './ids.js'
