import { serve } from 'example-orders-web'
import { migrate } from './database.js'
import * as orders from './orders.js'
import { seed } from './seed.js'

await migrate()
console.log(`${await seed()} orders`)
console.log(await serve(orders))
