// Runs with register.js, so that `drizzle-orm` is the release candidate of 1.0.
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

sqliteTable('t', { id: flaxId() })
