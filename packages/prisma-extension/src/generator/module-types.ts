import { clientName } from '../extension/model.js'
import type { FoundFamily } from './families.js'
import type { FoundField } from './id-fields.js'
import { idFields, type ModuleContent, madeFamilies } from './module-content.js'
import type { ModelOutline } from './outline.js'
import { nameOf } from './schema.js'

/** The types that the generated module declares. */
export const types = (content: ModuleContent): string => `/** Ids in results, by model and field. */
export interface Ids {
${content.models.map(modelTypes).join('')}}

/** Ids by the names that raw queries give to their fields. */
export interface IdTypes {
${idFields(content)
  .map((id) => `  '${nameOf(id.model, id.field)}': ${idType(id)}\n`)
  .join('')}}

export interface Options {
  /** Generators of the families whose ids are made here. */
  readonly generators${isOptional(content) ? '?' : ''}: {
${madeFamilies(content)
  .map(
    (found) =>
      `    readonly ${keyOf(found)}${needsGenerator(found) ? '' : '?'}: IdGenerator<${typeOfId(found)}>\n`,
  )
  .join('')}  }
}
`

function modelTypes({ model, ids }: ModelOutline): string {
  if (ids.length === 0) return ''
  const fields = ids.flatMap((id) => {
    const { createdAt } = id.comment
    const time = createdAt === undefined ? '' : `    ${createdAt}: ${nullable(id, 'Date')}\n`
    return `    ${id.field.name}: ${nullable(id, `${idType(id)}${id.field.isList ? '[]' : ''}`)}\n${time}`
  })
  return `  ${clientName(model.name)}: {\n${fields.join('')}  }\n`
}

const typeOfId = ({ name }: FoundFamily): string => `ReturnType<typeof ${name}.parse>`
const idType = ({ found }: FoundField): string => typeOfId(found)
const nullable = ({ field }: FoundField, type: string): string =>
  field.isRequired || field.isList ? type : `${type} | null`

/** Names of families are any texts. */
const keyOf = ({ family: { name } }: FoundFamily): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)

const needsGenerator = ({ family }: FoundFamily): boolean => !('generate' in family)

/** Whether `snoflax()` can do without generators. */
export const isOptional = (content: ModuleContent): boolean => !madeFamilies(content).some(needsGenerator)
