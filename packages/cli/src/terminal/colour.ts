import { styleText } from 'node:util'
import type { Io, Output } from './io.js'

/** The colours in use, by what node:util calls them. */
export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

export type Paint = (colour: Colour, text: string) => string

/** Whether to colour: as FORCE_COLOR and NO_COLOR say, else on a terminal only. */
export function painter({ env }: Io, output: Output): Paint {
  const forced = env['FORCE_COLOR']
  const wanted = forced === undefined ? !env['NO_COLOR'] && output.isTTY === true : forced !== '0'
  return wanted ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_, text) => text
}
