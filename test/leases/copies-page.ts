/** What happens to servers, in the order of the table of docs/leases.md. */
export const COPIES = {
  restart: 'a restart after a crash',
  files: 'the same files after `chown`, `chmod`, hard links and a restart',
  rewritten: 'tables that were rewritten: `VACUUM FULL`, `CLUSTER`, `OPTIMIZE TABLE`; a compacted etcd',
  moved: 'the same files in another directory, at another port',
  promoted: 'a promoted standby or replica; a new leader of etcd',
  recovered: 'recovery to an earlier time (PITR)',
  template: '`CREATE DATABASE … TEMPLATE`',
  dump: 'a dump, restored elsewhere (etcd: keys that were put there)',
  dumpInPlace: 'a dump, restored over the original',
  snapshot: '`etcdctl snapshot restore` into a new cluster',
  sameToken: '`etcdctl snapshot restore` with the old token, names and URLs',
  clone: "MySQL's clone plugin",
  backup: 'a base backup, started without recovery',
  beside: 'a copy of the files, started beside the original',
  inPlace: 'a copy of the files, put in place of the original',
} as const

export type CopyName = keyof typeof COPIES

export type Outcome = 'goes on' | 'goes on after a pause' | 'refused until adopted' | "**can't be detected**"

/** What a store did. */
export interface CopyCell {
  readonly store: string
  readonly copy: CopyName
  /** Whether the copy was made before the first lease or after it. */
  readonly when: string
  readonly outcome: Outcome
}

const STORES = ['PostgreSQL', 'MySQL', 'MariaDB', 'etcd']
const HEAD = `| what happened | ${STORES.join(' | ')} |`
const rowOf = (copy: CopyName) => `| ${COPIES[copy]} |`

/** The cell of a page; undefined if it has none. */
export function cellIn(page: string, store: string, copy: CopyName): string | undefined {
  const row = page.split('\n').find((line) => line.startsWith(rowOf(copy)))
  return row?.slice(rowOf(copy).length).split('|')[STORES.indexOf(store)]?.trim()
}

/** The page with a table that has these cells; those of other stores stay. */
export function withCells(page: string, cells: readonly CopyCell[]): string {
  const lines = page.split('\n')
  const start = lines.indexOf(HEAD)
  if (start < 0) throw new Error(`the page has no table "${HEAD}"`)
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  const ran = new Set(cells.map(({ store }) => store))
  const rows = (Object.keys(COPIES) as CopyName[]).map((copy) => {
    const shown = STORES.map((store) =>
      ran.has(store)
        ? cellOf(cells.filter((cell) => cell.store === store && cell.copy === copy))
        : (cellIn(page, store, copy) ?? ''),
    )
    return `${rowOf(copy)} ${shown.join(' | ')} |`
  })
  lines.splice(start, length, HEAD, `| --- |${' --- |'.repeat(STORES.length)}`, ...rows)
  return lines.join('\n')
}

/** What happened both times, or each time. */
export function cellOf(cells: readonly CopyCell[]): string {
  const outcomes = new Set(cells.map(({ outcome }) => outcome))
  if (outcomes.size < 2) return [...outcomes].join()
  return cells.map(({ when, outcome }) => `${when}: ${outcome}`).join('; ')
}
