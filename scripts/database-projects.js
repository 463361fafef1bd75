/** The folders whose tests need databases. Every other project runs without a server. */
export const DATABASE_PROJECTS = [
  'packages/adopt',
  'packages/better-sqlite3',
  'packages/cli',
  'packages/drizzle',
  'packages/pg-sql',
  'packages/prisma-extension',
  'packages/typeorm',
  'test',
]

/** The name of a folder's project. @param {string} folder */
export const projectName = (folder) => folder.replace('packages/', '')
