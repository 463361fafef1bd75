import { varchar } from 'drizzle-orm/mysql-core'
import { nanoid } from 'nanoid'

/** `org_V1StGXR8_Z5jdHi6B-myT` */
export const key = (prefix: string) => varchar('id', { length: 36 }).primaryKey().$defaultFn(() => `${prefix}_${nanoid()}`)
export const to = (name: string) => varchar(name, { length: 36 })
