/** Another version of TypeORM than the newest, by scripts/orm-matrix.js. */
export const VERSION = process.env['SNOFLAX_TYPEORM'] ?? ''

/** What TypeORM 0.3 lacks is listed in the README. */
export const IS_0_3 = VERSION.startsWith('0.3')
