export { type Invented, inventOrders } from './invented-orders.js'
export type { NewOrder, Order, Orders, OrdersQuery } from './orders.js'
export { serve } from './server.js'
