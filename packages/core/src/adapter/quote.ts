/**
 * A name in double quotes, for PostgreSQL and SQLite.
 *
 * @example
 * quoteName('order "x"') // '"order ""x"""'
 */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * A name in backticks, for MySQL and MariaDB.
 *
 * @example
 * quoteMysqlName('a`b') // '`a``b`'
 */
export const quoteMysqlName = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/**
 * A text as a literal of standard SQL: PostgreSQL and SQLite, not MySQL, where a backslash escapes.
 *
 * @example
 * quoteText("it's") // "'it''s'"
 */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
