import { clientName, type IdColumn, type Models } from './model.js'

interface ComputedField {
  readonly needs: Readonly<Record<string, true>>
  compute(row: Record<string, unknown>): Date | null
}

/** Computed fields, for Prisma, that tell when the id of a row was made. */
export function createdAtFields(models: Models): Record<string, Record<string, ComputedField>> {
  const computed: Record<string, Record<string, ComputedField>> = {}
  for (const { name, ids } of models.values()) {
    for (const column of ids.values()) {
      if (column.settings.createdAt === undefined) continue
      const model = clientName(name)
      computed[model] = { ...computed[model], [column.settings.createdAt]: createdAt(column) }
    }
  }
  return computed
}

const createdAt = ({ field, settings: { family } }: IdColumn): ComputedField => ({
  needs: { [field]: true },
  compute: ({ [field]: id }) => (id == null ? null : family.time(id as string)),
})
