import { sno } from '@snoflax/core'

/** Unix milliseconds at which a unit starts. */
export const atUnit = (unit: number): number => sno.layout.epochMs + unit * sno.layout.unitMs
