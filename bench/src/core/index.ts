import type { Chapter } from '../report.js'
import { bounds } from './bounds.js'
import { decode } from './decode.js'
import { encode } from './encode.js'
import { generate } from './generate.js'
import { check, parse, time } from './read.js'
import { sealing } from './seal.js'
import { fromDatabase, toDatabase } from './storage.js'

export const core: Chapter<void> = {
  name: 'core',
  sections: [generate, encode, decode, time, parse, check, bounds, toDatabase, fromDatabase, sealing],
  open: () => ({ place: undefined, circumstances: '' }),
}
