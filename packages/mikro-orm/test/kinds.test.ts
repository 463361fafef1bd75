import { describe } from 'vitest'
import { testKinds } from './kinds/beside-plain.js'

describe('on SQLite', () => testKinds('sqlite', 'first'))
