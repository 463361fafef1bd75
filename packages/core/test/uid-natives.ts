import {
  type UidFields,
  type UidId,
  type UidLocalFields,
  type UidLocalId,
  uid,
  uidLocal,
} from '@snoflax/core'

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

/** The fields with the microseconds of the step that they lie in. */
export function localFields(native: NativeUid): UidLocalFields {
  const fields = unalignedFields(native)
  return { ...fields, microSeconds: fields.microSeconds - (fields.microSeconds % 1024) }
}

export const globalFields = (native: NativeUid): UidFields => ({
  ...localFields(native),
  node: nodeOf(native),
})

export const packLocal = (native: NativeUid): UidLocalId => uidLocal.pack(localFields(native))

export const packGlobal = (native: NativeUid, family = uid): UidId => family.pack(globalFields(native))
