import type { App } from '../app.js'
import type { PrismaClient } from './client/client.js'

type Db = Pick<PrismaClient, 'tenant' | 'user' | 'profile' | 'folder' | 'product' | 'label' | 'productLabel' | 'watch' | 'reaction'>

const tenantId = '00000000-0000-4000-8000-0000000000aa'

export function open(db: Db): App {
  const byKey = (id: string) => ({ tenantId_id: { tenantId, id } })
  return {
    label: (kind, number) => `00000000-0000-4000-8000-${Buffer.from(kind.slice(0, 3)).toString('hex')}${String(number).padStart(6, '0')}`,
    stored: /^[0-9a-f]{8}-[0-9a-f]{4}-4/,
    async signUp({ name, id = crypto.randomUUID() as string }) {
      await db.tenant.upsert({ where: { id: tenantId }, create: { id: tenantId, slug: 'acme' }, update: {} })
      return (await db.user.create({ data: { id, name, email: `${name}@example.com`, tenantId, profile: { create: {} } } })).id
    },
    rename: async (id, name) => (await db.user.updateMany({ where: { id }, data: { name } })).count > 0,
    async profile(id) {
      const user = await db.user.findFirst({ where: { id }, include: { profile: true } })
      return user ? { name: user.name, bio: user.profile?.bio ?? null } : undefined
    },
    async setBio(userId, bio) {
      await db.profile.upsert({ where: { userId }, create: { userId, bio }, update: { bio } })
    },
    folder: async (folder) => (await db.folder.create({ data: { ...folder, tenantId } })).id,
    async path(folderId) {
      const names: string[] = []
      for (let id: string | null = folderId; id !== null; ) {
        const folder: { name: string; parentId: string | null } | null = await db.folder.findUnique({ where: byKey(id) })
        if (folder) names.unshift(folder.name)
        id = folder?.parentId ?? null
      }
      return names
    },
    async post({ at, tags = [], ...product }) {
      const { id } = await db.product.create({ data: { ...product, tenantId, createdAt: at } })
      for (const name of tags) {
        const label = await db.label.upsert({ where: { tenantId_name: { tenantId, name } }, create: { tenantId, name }, update: {} })
        await db.productLabel.create({ data: { productId: id, labelId: label.id } })
      }
      return id
    },
    async read(id) {
      const product = await db.product.findFirst({ where: { tenantId, id, deletedAt: null }, include: { owner: true, folder: true, labels: { include: { label: true }, orderBy: { label: { name: 'asc' } } } } })
      return product ? { title: product.title, owner: product.owner.name, folder: product.folder?.name ?? null, tags: product.labels.map(({ label }) => label.name) } : undefined
    },
    async page(ownerId, take, after) {
      if (after !== undefined && !(await db.product.findUnique({ where: byKey(after) }))) return []
      return db.product.findMany({ where: { ownerId, deletedAt: null }, select: { id: true, title: true }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take, ...(after !== undefined && { cursor: byKey(after), skip: 1 }) })
    },
    search: async (words) => (await db.product.findMany({ where: { body: { contains: words }, deletedAt: null }, orderBy: { createdAt: 'asc' } })).map(({ id }) => id),
    async remove(id) {
      await db.product.updateMany({ where: { id }, data: { deletedAt: 1 } })
    },
    async share(productId, userId) {
      await db.watch.create({ data: { tenantId, productId, userId } })
    },
    async react(productId, userId, emoji) {
      await db.reaction.create({ data: { emoji, watch: { connect: { tenantId_productId_userId: { tenantId, productId, userId } } } } })
    },
    reactions: async (productId) => (await db.reaction.findMany({ where: { productId }, include: { watch: { include: { user: true } } }, orderBy: { watch: { user: { name: 'asc' } } } })).map(({ watch, emoji }) => `${watch.user.name} ${emoji}`),
    async pin(userId, postIds) {
      await db.profile.update({ where: { userId }, data: { pinned: JSON.stringify(postIds) } })
    },
    async pinned(userId) {
      const profile = await db.profile.findUnique({ where: { userId } })
      return (await db.product.findMany({ where: { id: { in: JSON.parse(profile?.pinned ?? '[]') as string[] } }, orderBy: { createdAt: 'asc' } })).map(({ title }) => title)
    },
    async deleteUser(id) {
      await db.user.delete({ where: { id } })
    },
    counts: async () => (await db.user.findMany({ include: { _count: { select: { products: true } } }, orderBy: { name: 'asc' } })).map(({ name, _count }) => ({ name, posts: _count.products })),
  }
}
