/**
 * The change of a table that gives PostgreSQL's planner the finest statistics of a key of type `uuid`. The planner doesn't
 * interpolate between two bounds of its histogram for that type, so with the default of 100 it expects a single row of every
 * range below a hundredth of the table, and joins such ranges row by row. With 10,000, the most that there are, that holds
 * only for ranges below a ten-thousandth. Other types need no more than the default. It takes effect with the next ANALYZE.
 *
 * @example
 * `ALTER TABLE visit ${keyStatistics('id')}` // 'ALTER TABLE visit ALTER COLUMN id SET STATISTICS 10000'
 */
export function keyStatistics(quotedColumn: string): string {
  return `ALTER COLUMN ${quotedColumn} SET STATISTICS 10000`
}
