import { describe } from 'vitest'
import { testKinds } from './kinds/beside-plain.js'

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => testKinds(kind, 'all'))
