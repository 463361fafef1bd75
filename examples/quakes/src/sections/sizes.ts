import type { KeySize } from '../sizes.js'
import { bar } from '../terminal/bar.js'
import type { Paint } from '../terminal/colour.js'
import { megabytes } from '../terminal/numbers.js'
import { table } from '../terminal/table.js'

const BAR_WIDTH = 20

/** A line for each size, smallest first, compared with the first key measured. */
export function sizeTable(paint: Paint, sizes: readonly KeySize[]): string[] {
  const [standard] = sizes
  if (standard === undefined) return []
  const total = ({ tableBytes, indexBytes }: KeySize): number => tableBytes + indexBytes
  const largest = Math.max(...sizes.map(total))
  return table(
    paint,
    [
      { title: 'storage' },
      { title: 'key' },
      { title: 'table MB', align: 'right' },
      { title: 'index MB', align: 'right' },
      { title: 'both MB', align: 'right' },
      { title: `of ${standard.key}`, align: 'right' },
      { title: '' },
    ],
    merged(sizes)
      .sort((a, b) => total(a) - total(b))
      .map((size) => {
        const isUuid = size.key === standard.key
        return [
          size.storage,
          size.key,
          megabytes(size.tableBytes),
          size.indexBytes === 0 ? 'none' : megabytes(size.indexBytes),
          megabytes(total(size)),
          `${Math.round((100 * total(size)) / total(standard))} %`,
          paint(isUuid ? 'yellow' : 'cyan', bar(total(size), largest, BAR_WIDTH)),
        ]
      }),
  )
}

/** Families whose tables have the same size share a line. */
function merged(sizes: readonly KeySize[]): KeySize[] {
  const lines = new Map<string, KeySize>()
  for (const size of sizes) {
    const same = [size.storage, megabytes(size.tableBytes), megabytes(size.indexBytes)].join()
    const known = lines.get(same)
    lines.set(same, known === undefined ? size : { ...known, key: `${known.key} ${size.key}` })
  }
  return [...lines.values()]
}
