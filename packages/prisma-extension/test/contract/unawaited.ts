import type { Unawaited } from '@snoflax/test/contract'
import type { AnyClient } from '../project/clients.js'
import type { PrismaSession } from './adapter.js'

const named = { email: 'unawaited@example.org', name: 'Nobody' }

export const unawaited: Unawaited<PrismaSession> = {
  'findUnique()': ({ prisma }, id) => prisma.customer.findUnique({ where: { id } }),
  'findFirst()': ({ prisma }, id) => prisma.customer.findFirst({ where: { traceId: id } }),
  'findMany()': ({ prisma }, id) => prisma.customer.findMany({ where: { orders: { some: { id } } } }),
  'a fluent call': ({ prisma }, id) => prisma.customer.findUnique({ where: { id } }).orders(),
  'count()': ({ prisma }, id) => prisma.customer.count({ where: { id } }),
  'create()': ({ prisma }, id) => prisma.customer.create({ data: { id, ...named } }),
  'createMany()': ({ prisma }, id) => prisma.customer.createMany({ data: [{ id, ...named }] }),
  'update()': ({ prisma }, id) => prisma.customer.update({ where: { id }, data: { name: 'Nobody' } }),
  'updateMany()': ({ prisma }, id) => prisma.customer.updateMany({ data: { traceId: id } }),
  'upsert()': ({ prisma }, id) => prisma.customer.upsert({ where: { id }, create: named, update: {} }),
  'delete()': ({ prisma }, id) => prisma.customer.delete({ where: { id } }),
  'deleteMany()': ({ prisma }, id) => prisma.customer.deleteMany({ where: { id } }),
  'a batch': ({ prisma }, id) => prisma.$transaction([prisma.customer.findUnique({ where: { id } })]),
  'transaction()': ({ prisma }, id) =>
    prisma.$transaction((all: AnyClient) => all.customer.findUnique({ where: { id } })),
}
