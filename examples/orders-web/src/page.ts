import { DAY_MS, DAYS, dayOf } from './days.js'
import type { Filter, Listing } from './listing.js'
import type { Order } from './orders.js'

const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#e4e2dd, #33322f); --soft: light-dark(#77736a, #a09c92);
    --accent: light-dark(#0b6e5f, #5ecfb8); --ground: light-dark(#faf9f6, #191917) }
  body { max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; background: var(--ground);
    font: 16px/1.5 system-ui, sans-serif }
  a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline }
  h1 { font-size: 1.7rem; margin: 0 } h1 a { color: inherit } h2 { font-size: 1rem; margin: 2.2rem 0 .4rem }
  p, .time { color: var(--soft) } code { font-size: .88em }
  nav { display: flex; flex-wrap: wrap; gap: .25rem; margin: 1.4rem 0; font-size: .82rem }
  nav a { padding: .15rem .55rem; border: 1px solid var(--line); border-radius: 1rem }
  nav a[aria-current] { background: var(--accent); color: var(--ground); border-color: var(--accent) }
  table { width: 100%; table-layout: fixed; border-collapse: collapse; font-variant-numeric: tabular-nums }
  td { padding: .4rem .8rem .4rem 0; border-top: 1px solid var(--line) } td:last-child { text-align: right; padding: 0 }
  td:nth-child(1) { width: 4rem } td:nth-child(2) { width: 11rem } td:nth-child(5) { width: 5rem }
  @media (max-width: 40rem) { td:nth-child(2) { display: none } }
  .next { display: inline-block; margin: 2rem 0; padding: .5rem 1.2rem; border: 1px solid; border-radius: .4rem }`

/** The list as a page: orders by day, newest first. */
export function ordersPage({ orders, next }: Listing, filter: Filter): string {
  const [first] = orders
  const days = new Set(orders.map(({ createdAt }) => dayOf(createdAt)))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Orders</title>
<style>${STYLE}</style>
<h1><a href="/">Orders</a>${filter.customerId && first ? escaped(` of ${first.customer.name}`) : ''}</h1>
<p>Days, order and pages come from the primary key. There is no created_at column.</p>
<nav>${link('All', { customerId: filter.customerId }, !filter.day)}${lastDays()
    .map((day) => dayLink(day, filter))
    .join('\n')}</nav>
${[...days].map((day) => section(day, orders)).join('\n')}
${orders.length === 0 ? '<p>No orders.</p>' : ''}
${next ? `<a class="next" rel="next" href="${address({ ...filter, after: next })}">Older orders</a>` : ''}
</html>`
}

function section(day: string, orders: readonly Order[]): string {
  const ofDay = orders.filter(({ createdAt }) => dayOf(createdAt) === day)
  return `<h2>${day}</h2>\n<table>\n${ofDay.map(row).join('\n')}\n</table>`
}

function row({ id, createdAt, customer, item, cents }: Order): string {
  const cells = [
    `<span class="time">${createdAt.toISOString().slice(11, 16)}</span>`,
    `<a href="/orders/${id}"><code>${id}</code></a>`,
    link(customer.name, { customerId: customer.id }),
    escaped(item),
    (cents / 100).toFixed(2),
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function dayLink(day: Date, filter: Filter): string {
  const current = day.getTime() === filter.day?.getTime()
  return link(dayOf(day).slice(5), { customerId: filter.customerId, day }, current)
}

const lastDays = (): Date[] =>
  Array.from({ length: DAYS }, (_, ago) => new Date(`${dayOf(new Date(Date.now() - ago * DAY_MS))}T00:00Z`))

const link = (text: string, filter: Filter, current = false): string =>
  `<a href="${address(filter)}"${current ? ' aria-current="true"' : ''}>${escaped(text)}</a>`

function address({ day, customerId, after }: Filter): string {
  const query = new URLSearchParams()
  if (day) query.set('day', dayOf(day))
  if (customerId) query.set('customer', customerId)
  if (after) query.set('after', after)
  return escaped(`/?${query}`)
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
