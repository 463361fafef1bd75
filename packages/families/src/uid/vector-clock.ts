import { distance, type UidDistance } from './distance.js'
import type { UidGenerator } from './generator.js'
import type { UidFields, UidId } from './global-codec.js'
import type { UidNode } from './node.js'

/** A vector clock: the latest global id of each node. */
export type VectorClock = readonly UidId[]

/** An entry that is later than the other clock's. */
export interface VectorClockGap {
  /** The entry: the latest id of its node. */
  readonly id: UidId
  /** How far behind the other clock's entry of this node is; undefined if it has none. */
  readonly behind: UidDistance | undefined
}

/**
 * Operations on vector clocks. A node's name and its fingerprint are the same node, since ids contain the fingerprint.
 */
export interface VectorClocks {
  /** A clock that has seen only this generator's node. */
  create(generator: UidGenerator<UidId>): VectorClock
  /** The clock after an event on the generator's node: its entry is replaced and moved to the front. */
  tick(clock: VectorClock, generator: UidGenerator<UidId>): VectorClock
  /** The clock that has seen what either has seen, sorted by fingerprint. */
  join(a: VectorClock, b: VectorClock): VectorClock
  /** Whether `a` has seen all that `b` has. */
  descends(a: VectorClock, b: VectorClock): boolean
  /** Whether `a` has seen all that `b` has, except of this node. */
  descendsExcept(node: UidNode, a: VectorClock, b: VectorClock): boolean
  /** The entries of `b` that `a` has not reached, in the order of `b`. */
  diff(a: VectorClock, b: VectorClock): VectorClockGap[]
}

export function vectorClocks(
  unpack: (id: UidId) => UidFields,
  fingerprint: (node: UidNode) => number,
): VectorClocks {
  const nodeOf = (id: UidId): number => unpack(id).node

  /** The latest id of each node. Within a node and neighbourhood, text order is time order. */
  const latest = (clock: VectorClock): Map<number, UidId> => {
    const entries = new Map<number, UidId>()
    for (const id of clock) {
      const node = nodeOf(id)
      const known = entries.get(node)
      if (known === undefined || known < id) entries.set(node, id)
    }
    return entries
  }
  const diff = (a: VectorClock, b: VectorClock): VectorClockGap[] => {
    const seen = latest(a)
    return b.flatMap((id): VectorClockGap[] => {
      const known = seen.get(nodeOf(id))
      if (known === undefined) return [{ id, behind: undefined }]
      return known >= id ? [] : [{ id, behind: distance(unpack(id), unpack(known)) }]
    })
  }
  const without = (node: number, clock: VectorClock): VectorClock => clock.filter((id) => nodeOf(id) !== node)

  return {
    create: (generator) => [generator.generate()],
    tick(clock, generator) {
      const id = generator.generate()
      return [id, ...without(nodeOf(id), clock)]
    },
    join: (a, b) => [...latest([...a, ...b])].sort(([x], [y]) => x - y).map(([, id]) => id),
    descends: (a, b) => diff(a, b).length === 0,
    descendsExcept(node, a, b) {
      const left = fingerprint(node)
      return diff(without(left, a), without(left, b)).length === 0
    },
    diff,
  }
}
