import type { FlakeFamily, IdFamily, SnoFamily } from '@snoflax/core'
import { idReader } from './ids.js'
import { pure, type SqlFunction } from './sql-function.js'
import { numberOf, type SqlValue } from './values.js'

/** A node's name, or its fingerprint. */
type Node = string | number

/** What this file uses of uid, which is a family of `@snoflax/families`. */
interface UidFamily extends IdFamily {
  readonly local: IdFamily
  withNeighbourhood(neighbourhood: number): UidFamily
  fingerprint(node: Node): number
  fromLocal(id: string, host: { readonly node: Node }): string
  toLocal(id: string, host: { readonly node: Node }): string
  forceLocal(id: string): string
}

/** The SQL functions of a family beyond those of all families, decided by its methods, not its name. */
export interface OwnFunctions {
  readonly functions: readonly SqlFunction[]
  /** The family with the epoch or neighbourhood of a last argument. */
  readonly variant?: (option: number) => IdFamily
  /** 1 if ids are generated with a metabyte. */
  readonly metas?: 0 | 1
}

export function ownFunctions(family: IdFamily): OwnFunctions {
  if ('withMeta' in family) return ofSno(family as never)
  if ('withEpoch' in family) return ofFlake(family as never)
  if ('withNeighbourhood' in family) return ofUid(family as never)
  return { functions: [] }
}

function ofSno(family: SnoFamily): OwnFunctions {
  const read = idReader(family)
  return {
    metas: 1,
    functions: [
      pure('meta', (id) => BigInt(family.meta(read(id)))),
      pure('with_meta', (id, meta) => family.decode(family.withMeta(read(id), numberOf(meta))), 2),
    ],
  }
}

function ofFlake(family: FlakeFamily): OwnFunctions {
  const read = idReader(family)
  return {
    variant: latest((epochMs: number) => family.withEpoch(epochMs)),
    functions: [
      pure('to_hex', (id) => family.toHex(read(id))),
      pure('from_hex', (hex) => family.decode(family.fromHex(hex as string))),
    ],
  }
}

function ofUid(family: UidFamily): OwnFunctions {
  const { local } = family
  const [read, readLocal] = [idReader(family), idReader(local)]
  const variant = latest((neighbourhood: number) => family.withNeighbourhood(neighbourhood))
  const chosen = (option: SqlValue | undefined): UidFamily =>
    option === undefined ? family : variant(numberOf(option))
  const fromLocal: SqlFunction['call'] = (id, node, option) =>
    family.decode(chosen(option).fromLocal(readLocal(id), { node: nodeOf(node) }))
  const toLocal: SqlFunction['call'] = (id, node, option) =>
    local.decode(chosen(option).toLocal(read(id), { node: nodeOf(node) }))
  return {
    variant,
    functions: [
      pure('fingerprint', (node) => BigInt(family.fingerprint(nodeOf(node)))),
      pure('from_local', fromLocal, 2, 1),
      pure('to_local', toLocal, 2, 1),
      pure('force_local', (id, option) => local.decode(chosen(option).forceLocal(read(id))), 1, 1),
    ],
  }
}

const nodeOf = (node: SqlValue): Node => (typeof node === 'string' ? node : numberOf(node))

/** Caches the result for the last option, since a query passes the same one in every row. */
export function latest<Option, Result>(compute: (option: Option) => Result): (option: Option) => Result {
  let last: { option: Option; result: Result } | undefined
  return (option) => {
    if (last === undefined || last.option !== option) last = { option, result: compute(option) }
    return last.result
  }
}
