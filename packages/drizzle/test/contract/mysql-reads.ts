import type { ContractAdapter } from '@snoflax/test/contract'
import { eq, inArray } from 'drizzle-orm'
import { nested } from './reads.js'
import type { Session } from './session.js'
import { raw } from './version.js'

// A one-to-one relation has a LIMIT below it, inside which MariaDB can't see the row above.

export const graph: ContractAdapter<Session>['graph'] = {
  'query.findFirst({ with }) of lists': {
    refused: nested,
    run: async ({ db, schema: { customers, profiles, tags } }, id) => {
      const found = await db.query.customers.findFirst({
        where: raw((customer) => eq(customer.id, id)),
        with: { orders: { with: { lines: true, ties: true } } },
      })
      if (!found) return undefined
      const tagIds = found.orders.flatMap(({ ties }) => ties.map(({ tagId }) => tagId))
      const theirs = await db.select().from(tags).where(inArray(tags.id, tagIds))
      const [profile] = await db.select().from(profiles).where(eq(profiles.customerId, id))
      const { referrerId } = found
      const [referrer] = referrerId
        ? await db.select().from(customers).where(eq(customers.id, referrerId))
        : []
      return {
        ...found,
        referrer: referrer ?? null,
        profile: profile ?? null,
        orders: found.orders.map(({ ties, ...order }) => ({
          ...order,
          tags: theirs.filter((tag) => ties.some(({ tagId }) => tagId === tag.id)),
        })),
      }
    },
  },
}
