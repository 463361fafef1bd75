import {
  type UidFields,
  type UidId,
  type UidLocalFields,
  type UidLocalId,
  uid,
  uidLocal,
} from '@snoflax/families'

/** An id before it is encoded, as the reference has it in memory: megaseconds, seconds, microseconds. */
export interface NativeUid {
  readonly t: readonly [number, number, number]
  readonly seq: number
  /** Name of the node, or null if only the fingerprint is known. Absent in local ids. */
  readonly node?: string | null
  readonly nodeHex?: string
}

export const isAligned = ({ t }: NativeUid): boolean => t[2] % 1024 === 0

export const unalignedFields = ({
  t: [megaSeconds, seconds, microSeconds],
  seq,
}: NativeUid): UidLocalFields => ({
  megaSeconds,
  seconds,
  microSeconds,
  sequence: seq,
})

export const nodeOf = ({ nodeHex }: NativeUid): number => Number.parseInt(nodeHex as string, 16)

/** The microseconds of the step that they lie in: the low 10 bits are not kept. */
export const cut = (microSeconds: number): number => microSeconds - (microSeconds % 1024)

/** The fields with the microseconds of the step that they lie in. */
export function localFields(native: NativeUid): UidLocalFields {
  const fields = unalignedFields(native)
  return { ...fields, microSeconds: cut(fields.microSeconds) }
}

export const globalFields = (native: NativeUid): UidFields => ({
  ...localFields(native),
  node: nodeOf(native),
})

/** The fields of a local or global id as they were recorded, in the order that `unpack` has. */
export function rawFields(native: NativeUid): UidLocalFields & { readonly node?: number } {
  const { sequence, ...time } = unalignedFields(native)
  return { ...time, ...(native.nodeHex !== undefined && { node: nodeOf(native) }), sequence }
}

/** The same with the microseconds of the step that they lie in. */
export function fieldsOf(native: NativeUid): ReturnType<typeof rawFields> {
  const fields = rawFields(native)
  return { ...fields, microSeconds: cut(fields.microSeconds) }
}

export const packLocal = (native: NativeUid): UidLocalId => uidLocal.pack(localFields(native))

export const packGlobal = (native: NativeUid, family = uid): UidId => family.pack(globalFields(native))
