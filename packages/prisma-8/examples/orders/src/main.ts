import { serve } from 'example-orders-web'
import * as orders from './orders.ts'
import { seed } from './seed.ts'

console.log(`${await seed()} orders`)
console.log(await serve(orders))
