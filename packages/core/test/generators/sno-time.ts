import { type SnoSnapshot, sno } from '@snoflax/core'

/** Unix milliseconds at which a unit starts. */
export const atUnit = (unit: number): number => sno.layout.epochMs + unit * sno.layout.unitMs

/** A generator's state as the vectors have it: the partition is one number. */
export interface RecordedState extends Omit<SnoSnapshot, 'partition'> {
  readonly partition: number
}

export const snapshotOf = ({ partition, ...rest }: RecordedState): SnoSnapshot => ({
  ...rest,
  partition: [partition >> 8, partition & 0xff],
})
