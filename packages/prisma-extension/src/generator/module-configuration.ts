import type { FoundField } from './id-fields.js'
import type { ModuleContent } from './module-content.js'
import type { ModelOutline } from './outline.js'

/** The configuration, as an object literal. */
export const configuration = ({ database, models }: ModuleContent): string => `{
  database: '${database}',
  models: {
${models.map(modelConfiguration).join('')}  },
}`

function modelConfiguration({ model, ids, relations, compounds }: ModelOutline): string {
  const idLines = ids.map((id) => `        ${id.field.name}: ${idConfiguration(id)},\n`)
  const relationLines = relations.map(({ name: field, type }) => `        ${field}: '${type}',\n`)
  return `    ${model.name}: {
      ids: {${idLines.length > 0 ? `\n${idLines.join('')}      ` : ''}},
      relations: {${relationLines.length > 0 ? `\n${relationLines.join('')}      ` : ''}},
      compounds: [${compounds.map((one) => `'${one}'`).join(', ')}],
    },
`
}

function idConfiguration({ found, storage, generated, comment: { meta, createdAt } }: FoundField): string {
  const settings = [
    `family: ${found.name}`,
    `storage: '${storage}'`,
    ...(generated ? ['generated: true'] : []),
    ...(meta === undefined ? [] : [`meta: ${meta}`]),
    ...(createdAt === undefined ? [] : [`createdAt: '${createdAt}'`]),
  ]
  return `{ ${settings.join(', ')} }`
}
