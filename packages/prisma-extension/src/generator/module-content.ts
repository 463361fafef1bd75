import type { Database } from '@snoflax/core'
import type { FoundFamily } from './families.js'
import type { FoundField } from './id-fields.js'
import type { ModelOutline } from './outline.js'

/** What the generated module is written from. */
export interface ModuleContent {
  readonly database: Database
  readonly models: readonly ModelOutline[]
  /** Absolute path of the folder that it is written to. */
  readonly folder: string
}

export const idFields = ({ models }: ModuleContent): FoundField[] => models.flatMap(({ ids }) => ids)

/** Those of all ids. */
export const families = (content: ModuleContent): FoundFamily[] => familiesOf(idFields(content))

/** Those whose ids the extension makes. */
export const madeFamilies = (content: ModuleContent): FoundFamily[] =>
  familiesOf(idFields(content).filter(({ generated }) => generated))

const familiesOf = (ids: readonly FoundField[]): FoundFamily[] => [
  ...new Map(ids.map(({ found }) => [found.name, found])).values(),
]
