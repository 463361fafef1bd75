import { PostgresDialect } from 'kysely'

export const dialectOf = ({ pool }) => new PostgresDialect({ pool })
