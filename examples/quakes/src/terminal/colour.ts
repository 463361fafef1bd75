import { styleText } from 'node:util'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** Text in a style; unchanged without colours. */
export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_, text) => text

// Colours were already decided on; newer versions of Node would check the stream again.
export const coloured: Paint = (style, text) =>
  text === '' ? '' : styleText(style, text, { validateStream: false })

export interface ColourSettings {
  readonly NO_COLOR?: string | undefined
  readonly FORCE_COLOR?: string | undefined
  readonly TERM?: string | undefined
}

/** Whether to use colours: on a terminal that has them, unless the environment says otherwise. */
export function wantsColour(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: ColourSettings): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return isTerminal && !NO_COLOR && TERM !== 'dumb'
}
