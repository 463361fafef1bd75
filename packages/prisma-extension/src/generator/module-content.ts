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

export function families(content: ModuleContent): FoundFamily[] {
  return [...new Map(idFields(content).map(({ found }) => [found.name, found])).values()]
}
