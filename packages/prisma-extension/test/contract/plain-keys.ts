import type { AnyClient } from '../project/clients.js'

type Row = Readonly<Record<string, unknown>>

/** The models of the matrix, by relation; those that are inserted before the row come first. */
const RELATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  people: { boss: 'people', reports: 'people', posts: 'posts' },
  posts: { author: 'people', links: 'links', tags: 'tags' },
  tags: { links: 'links', posts: 'posts' },
  links: { post: 'posts', tag: 'tags' },
}
const PARENTS = ['boss', 'author', 'post', 'tag']

const each = (value: unknown, map: (row: Row) => Row): unknown =>
  Array.isArray(value) ? value.map((row) => map(row)) : value === undefined ? undefined : map(value as Row)

/** An extension as users write it for keys of their own: it fills in those that are missing, in nested rows too. */
export function withPlainKeys(next: () => string): object {
  const related = (model: string, row: Row, isParent: boolean): Row =>
    Object.fromEntries(
      Object.entries(row).flatMap(([field, value]) => {
        const target = RELATIONS[model]?.[field]
        if (target === undefined || value == null || PARENTS.includes(field) !== isParent) return []
        return [[field, nested(target, value as Row)]]
      }),
    )
  const created =
    (model: string) =>
    (row: Row): Row => {
      const parents = related(model, row, true)
      const own = model === 'links' ? {} : { id: row['id'] ?? next() }
      return { ...row, ...parents, ...own, ...related(model, row, false) }
    }
  const updated =
    (model: string) =>
    (row: Row): Row => ({ ...row, ...related(model, row, true), ...related(model, row, false) })
  const nested = (model: string, write: Row): Row => {
    const create = created(model)
    const { create: rows, createMany, connectOrCreate, upsert, update } = write as Record<string, AnyClient>
    const within = (row: Row): Row =>
      'data' in row ? { ...row, data: updated(model)(row['data'] as Row) } : updated(model)(row)
    return {
      ...write,
      ...(rows && { create: each(rows, create) }),
      ...(createMany && { createMany: { ...createMany, data: each(createMany.data, create) } }),
      ...(connectOrCreate && {
        connectOrCreate: each(connectOrCreate, (one) => ({ ...one, create: create(one['create'] as Row) })),
      }),
      ...(upsert && { upsert: each(upsert, (one) => ({ ...one, create: create(one['create'] as Row) })) }),
      ...(update && { update: each(update, within) }),
    }
  }
  return {
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }: AnyClient) {
          const { data, create, update } = args ?? {}
          const map = operation.startsWith('create') ? created(model) : updated(model)
          return query({
            ...args,
            ...(data && { data: each(data, map) }),
            ...(create && { create: created(model)(create) }),
            ...(update && { update: updated(model)(update) }),
          })
        },
      },
    },
  }
}
