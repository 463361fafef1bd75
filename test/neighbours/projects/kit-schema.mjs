import * as ours from '@snoflax/drizzle/pg-core'
import * as theirs from 'drizzle-orm/pg-core'
import { tablesOf } from './exercise.mjs'

export const { customers, orders } = tablesOf('pg', theirs, ours)
