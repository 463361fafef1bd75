import type { EntityMetadata, ObjectLiteral, QueryRunner } from 'typeorm'
import type { Subject } from 'typeorm/persistence/Subject.js'
import type { SubjectChangeMap } from 'typeorm/persistence/SubjectChangeMap.js'
import { dataSourceOf, generatedColumnsIn, preparedOf } from '../columns/prepared.js'
import { generateIds } from './new-rows.js'

/** TypeORM's SubjectExecutor: the rows that one save is about to write. */
export interface Save {
  readonly queryRunner: QueryRunner
  readonly allSubjects: readonly Subject[]
  insertSubjects: Subject[]
  groupBulkSubjects(subjects: Subject[], type: 'insert'): [Record<string, Subject[]>, string[]]
}

/**
 * Generates the ids of a save's new rows, before TypeORM computes what each row changes: it then treats the ids as those
 * that an application sets, and runs the same hooks.
 */
export function generateIdsOfSave({ allSubjects }: Save): void {
  const inserted = allSubjects.filter(({ entity, mustBeInserted }) => entity && mustBeInserted)
  const generated = inserted.flatMap(({ entity, metadata }) =>
    generateIds(generatedColumnsIn(metadata), entity as ObjectLiteral),
  )
  if (generated.length === 0) return
  for (const subject of inserted) {
    // As of a row with an id that TypeORM looked for and didn't find. Others with an id count as changed.
    subject.databaseEntityLoaded = true
    subject.recompute()
  }
}

/**
 * Inserts rows after those that they reference. TypeORM sorts entities but not the rows of one, since it relies on keys
 * from the database: it inserts such references as null and updates them later. Our rows have keys from the start. If
 * references form a cycle, an update sets one later, as in TypeORM.
 */
export async function insertInOrder(save: Save, insert: () => Promise<void>): Promise<void> {
  const given = save.insertSubjects
  const targetOf = targetsIn(given)
  save.insertSubjects = inOrder(given, targetOf)
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
  // The order of the hooks after it.
  save.insertSubjects = given
  for (const { subject, changes } of deferred) {
    subject.changeMaps.push(...changes)
    if (subject.changeMaps.length === 0) continue
    subject.canBeUpdated = true
    // TypeORM doesn't update a row that it looked for and didn't find. By now it exists.
    subject.databaseEntityLoaded = false
  }
}

type TargetOf = (change: SubjectChangeMap) => Subject | undefined

/** Finds the new row that a reference means, by its entity or by another object with the same key. */
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

/** The same value for equal keys; a new object if a part of the key is missing. */
function keyOf({ tablePath, primaryColumns }: EntityMetadata, entity: ObjectLiteral): unknown {
  const isKey = typeof entity !== 'object'
  const key = primaryColumns.map((column): unknown => (isKey ? entity : column.getEntityValue(entity)))
  return key.some((part) => part == null) ? {} : [tablePath, ...key].join('\0')
}

/** Keeps the order, except that a row comes after the rows of its entity that it references. */
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

/** When a row can be referenced: rows of one statement all at once, but in MySQL one after the other. */
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
