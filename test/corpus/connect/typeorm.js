import { DataSource } from 'typeorm'

export const source = (database, entities, more = {}) =>
  new DataSource({
    ...(database.kind === 'sqlite' ? { type: 'better-sqlite3', database: database.file } : { type: 'postgres', url: database.url }),
    entities,
    ...more,
  })

/** What `typeorm migration:generate` writes. */
export const migration = async (opened) => (await opened.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query)
