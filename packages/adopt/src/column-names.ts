/** What a column's new values are called until the switch, and its old ones after it. */
export const newName = (column: string): string => `snoflax_new_${column}`
export const legacyName = (column: string): string => `legacy_${column}`
