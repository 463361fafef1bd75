/** A name as PostgreSQL and SQLite quote it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
