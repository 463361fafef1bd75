import { serve } from 'example-orders-web'
import { db } from './database.js'
import * as orders from './orders.js'
import { seed } from './seed.js'

await db.initialize()
console.log(`${await seed()} orders`)
console.log(await serve(orders))
