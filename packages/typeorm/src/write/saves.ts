import type { EntityMetadata, ObjectLiteral, QueryRunner } from 'typeorm'
import type { Subject } from 'typeorm/persistence/Subject.js'
import type { SubjectChangeMap } from 'typeorm/persistence/SubjectChangeMap.js'
import { dataSourceOf, generatedColumnsIn, preparedOf } from '../columns/prepared.js'
import { generateIds } from './new-rows.js'

/** TypeORM's SubjectExecutor: what one save is about to write. */
export interface Save {
  readonly queryRunner: QueryRunner
  insertSubjects: Subject[]
  recompute(): void
  groupBulkSubjects(subjects: Subject[], type: 'insert'): [Record<string, Subject[]>, string[]]
}

/** Generates the ids of new entities before their `@BeforeInsert` and the subscribers run, so that they see them. */
export function generateIdsOfSave(save: Save): void {
  const generated = save.insertSubjects.map(({ entity, metadata }) =>
    entity ? generateIds(generatedColumnsIn(metadata), entity) : [],
  )
  if (generated.every((columns) => columns.length === 0)) return
  for (const subject of save.insertSubjects) subject.recompute()
  save.recompute()
}

/**
 * Inserts rows after those that they reference. TypeORM orders entities, and not the rows of one, since it counts
 * on keys that the database generates: it inserts rows without them, and updates them. Ours have a key from the
 * start. A reference that no order allows is set by an update of its own, as TypeORM's are.
 */
export async function insertInOrder(save: Save, insert: () => Promise<void>): Promise<void> {
  const targetOf = targetsIn(save.insertSubjects)
  save.insertSubjects = inOrder(save.insertSubjects, targetOf)
  const positionOf = positionsIn(save)
  const isTooEarly = (subject: Subject, change: SubjectChangeMap) => {
    const target = change.relation?.isNullable ? targetOf(change) : undefined
    return target !== undefined && positionOf(target) > positionOf(subject)
  }
  const deferred = save.insertSubjects.map((subject) => {
    const changes = subject.changeMaps.filter((change) => isTooEarly(subject, change))
    return { subject, changes }
  })
  for (const { subject, changes } of deferred) {
    subject.changeMaps = subject.changeMaps.filter((change) => !changes.includes(change))
  }
  await insert()
  for (const { subject, changes } of deferred) {
    subject.changeMaps.push(...changes)
    if (subject.changeMaps.length === 0) continue
    subject.canBeUpdated = true
    // TypeORM updates no row that it has looked for in vain. By now it is there.
    subject.databaseEntityLoaded = false
  }
}

type TargetOf = (change: SubjectChangeMap) => Subject | undefined

/** Tells which of the new rows a reference leads to, by its entity or by another object with the same key. */
function targetsIn(subjects: readonly Subject[]): TargetOf {
  const targets = new Map<unknown, Subject>()
  for (const subject of subjects) {
    targets.set(subject, subject)
    if (subject.entity) targets.set(keyOf(subject.metadata, subject.entity), subject)
  }
  return ({ relation, value }) => {
    if (!relation || value == null) return undefined
    const { inverseEntityMetadata } = relation
    return targets.get(value) ?? targets.get(keyOf(inverseEntityMetadata, value as ObjectLiteral))
  }
}

/** The same for equal keys; an object of its own where a part of the key is missing. */
function keyOf({ tablePath, primaryColumns }: EntityMetadata, entity: ObjectLiteral): unknown {
  const isKey = typeof entity !== 'object'
  const key = primaryColumns.map((column): unknown => (isKey ? entity : column.getEntityValue(entity)))
  return key.some((part) => part == null) ? {} : [tablePath, ...key].join('\0')
}

/** Stable, but for rows that come after rows of the same entity that they reference. */
function inOrder(subjects: readonly Subject[], targetOf: TargetOf): Subject[] {
  const ordered = new Set<Subject>()
  for (const start of subjects) {
    const path = new Set(ordered.has(start) ? [] : [start])
    const stack = [...path]
    for (let subject = stack.at(-1); subject; subject = stack.at(-1)) {
      const { name } = subject.metadata
      const next = subject.changeMaps
        .map(targetOf)
        .find((one) => one && one.metadata.name === name && !ordered.has(one) && !path.has(one))
      if (next) {
        path.add(next)
        stack.push(next)
      } else {
        ordered.add(subject)
        stack.pop()
      }
    }
  }
  return [...ordered]
}

/** Tells when a row is there for others to reference: rows of one statement at once, but one by one in MySQL. */
function positionsIn(save: Save): (subject: Subject) => number {
  const { database } = preparedOf(dataSourceOf(save.queryRunner))
  const isByRow = database === 'mysql' || database === 'mariadb'
  const [groups, names] = save.groupBulkSubjects(save.insertSubjects, 'insert')
  const positions = new Map<Subject, number>()
  let position = 0
  for (const subjects of names.map((name) => groups[name] as Subject[])) {
    const isAlone = ({ changeMaps, metadata }: Subject) => changeMaps.length === 0 || !!metadata.treeType
    position++
    for (const subject of subjects.filter((one) => !isAlone(one))) {
      positions.set(subject, isByRow ? position++ : position)
    }
    for (const subject of subjects.filter(isAlone)) positions.set(subject, ++position)
  }
  return (subject) => positions.get(subject) ?? 0
}
