import { type FlaxId, flax, IdError } from '@snoflax/core'
import { isBytes } from '@snoflax/core/adapter'
import {
  type DataSource,
  EntitySchema,
  type EntitySchemaRelationOptions,
  type ObjectLiteral,
  type QueryRunner,
} from 'typeorm'
import { generatedColumn, plainColumn } from '../columns/definition.js'
import { state } from '../columns/prepared.js'
import { convertIn } from '../read/runners.js'
import { dataSourceClassOf, libraryOf } from './typeorm.js'

/** The kinds of trees, which write keys into statements of their own. */
const TREES = ['closure-table', 'materialized-path', 'nested-set'] as const

const owner: EntitySchemaRelationOptions = { type: 'many-to-one', target: 'self_test_owner', cascade: true }
const ENTITIES = [
  new EntitySchema<ObjectLiteral>({
    name: 'self_test_owner',
    columns: { id: generatedColumn(flax, { storage: 'binary' }) },
  }),
  new EntitySchema<ObjectLiteral>({
    name: 'self_test_item',
    columns: {
      id: generatedColumn(flax, { storage: 'binary' }),
      traceId: plainColumn(flax, { storage: 'binary', nullable: true }),
    },
    relations: { owner },
  }),
  ...TREES.map(
    (type) =>
      new EntitySchema<ObjectLiteral>({
        name: nameOf(type),
        trees: [{ type }],
        columns: { id: generatedColumn(flax, { storage: 'binary' }) },
        relations: {
          parent: { type: 'many-to-one', target: nameOf(type), treeParent: true, nullable: true },
          children: { type: 'one-to-many', target: nameOf(type), treeChildren: true, inverseSide: 'parent' },
        },
      }),
  ),
]

function nameOf(tree: (typeof TREES)[number]): string {
  return `self_test_${tree.replace('-', '_')}`
}

/** The driver's query runner without a database: it records what would be bound, and returns preset rows. */
class Rehearsal {
  readonly runner: QueryRunner
  bound: unknown[] = []
  rows: ObjectLiteral[] = []

  constructor(dataSource: DataSource) {
    this.runner = dataSource.createQueryRunner()
    const query = async (sql: string, parameters: readonly unknown[] = [], isStructured = false) => {
      this.bound.push(...parameters)
      // Nested sets ask whether there is a root, and where its right edge is.
      const rows = /^SELECT/.test(sql) ? [{ count: 0, right: 2, path: '', ...this.rows[0] }] : []
      return isStructured ? { raw: rows, records: rows, affected: 1 } : rows
    }
    // Below the conversion.
    state.patched.delete(Object.assign(this.runner, { query }))
    convertIn(this.runner)
  }

  /** Runs a step and checks that it binds all these ids as bytes. */
  async expect<Result>(step: string, ids: (result: Result) => readonly string[], run: () => Promise<Result>) {
    this.bound = []
    const result = await run()
    const bytes = this.bound.filter(isBytes).map((value) => flax.encode(value))
    const missing = ids(result).find((id) => !bytes.includes(id as FlaxId) || this.bound.includes(id))
    if (missing !== undefined) throw new Error(`${step} does not bind ids in their storage`)
    return result
  }
}

/**
 * Runs builders, relations and trees in memory with the DataSource's driver, without a database. This refuses a version
 * of TypeORM that has all the members but behaves differently, before its first query.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` with the step that failed.
 */
export async function rehearse(dataSource: DataSource, prepare: (lab: DataSource) => void): Promise<void> {
  const { name, version = 'of unknown version', supported, by } = libraryOf(dataSource)
  const LabSource = dataSourceClassOf(dataSource)
  const lab = new LabSource({
    ...dataSource.options,
    entities: ENTITIES,
    subscribers: [],
    migrations: [],
    logging: false,
    cache: false,
    namingStrategy: undefined,
    entityPrefix: undefined,
  } as unknown as DataSource['options'])
  await (lab as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas()
  prepare(lab)
  try {
    await play(new Rehearsal(lab))
  } catch (error) {
    throw new IdError(
      'UNSUPPORTED_VERSION',
      `${by} supports ${name} ${supported}; the installed ${name} ${version} failed its self-test: ` +
        `${(error as Error).message}. Install a supported version, or a newer ${by}`,
      { field: name, value: version },
    )
  }
}

async function play(rehearsal: Rehearsal): Promise<void> {
  const { manager } = rehearsal.runner
  const { id, traceId } = await rehearsal.expect(
    'a save with a relation',
    (saved) => [saved['id'], saved['owner'].id, saved['traceId']] as string[],
    (): Promise<ObjectLiteral> => manager.save('self_test_item', { owner: {}, traceId: flax.generate() }),
  )
  const bytes = flax.decode(id as FlaxId)
  rehearsal.rows = [{ id: bytes, self_test_item_id: bytes, i_id: bytes }]
  const builder = () => manager.createQueryBuilder('self_test_item', 'i')
  const raw = await rehearsal.expect(
    'a parameter of a query builder',
    () => [id, traceId] as string[],
    () =>
      builder()
        .select('i.id', 'id')
        .where('i.id IN (:...ids)', { ids: [id] })
        .andWhere('i.owner = :traceId', { traceId })
        .getRawMany<ObjectLiteral>(),
  )
  if (raw[0]?.['id'] !== id) throw new Error('a raw row lacks its id')
  const found = await rehearsal.expect(
    'a condition',
    () => [id, traceId] as string[],
    () =>
      builder()
        .where({ id, owner: { id: traceId } })
        .getMany(),
  )
  if (found[0]?.['id'] !== id) throw new Error('an entity lacks its id')
  rehearsal.rows = []
  for (const type of TREES) {
    const save = (node: ObjectLiteral): Promise<ObjectLiteral> => manager.save(nameOf(type), node)
    const root = await save({})
    await rehearsal.expect(
      `a tree (${type})`,
      (child) => [child['id'], root['id']] as string[],
      () => save({ parent: root }),
    )
  }
}
