import type ts from 'typescript'
import type { Findings, Place } from './findings.js'
import type { Source, Sources } from './sources.js'

const CLIENT =
  'add plugins: [ids], type it Kysely<WithIds<DB, typeof ids>>, and leave ids out of inserts: const ids = idPlugin({ database, tables: { … } }), with '

/** An interface, or a type of an object. */
interface Shape {
  readonly file: Source
  readonly name: string
  readonly members: readonly ts.TypeElement[]
}

/**
 * Lists the keys of Kysely's tables, as its plugin declares them: the types that kysely-codegen writes have columns, and
 * nothing of what generates them. Whether there is a client without the plugin.
 */
export function leaveKysely(sources: Sources, findings: Findings): boolean {
  const { ts } = sources
  const shapes: Shape[] = []
  const clients: { readonly file: Source; readonly node: ts.NewExpression }[] = []
  for (const file of sources.all)
    sources.walk(file.node, (node) => {
      if (ts.isInterfaceDeclaration(node)) shapes.push({ file, name: node.name.text, members: node.members })
      if (ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type))
        shapes.push({ file, name: node.name.text, members: node.type.members })
      const isClient = ts.isNewExpression(node) && node.expression.getText() === 'Kysely'
      if (isClient && !hasPlugin(sources, file, node)) clients.push({ file, node })
    })
  const typeOf = (one: ts.TypeElement): string => (ts.isPropertySignature(one) && one.type?.getText()) || ''
  const shapeOf = (name: string, beside: Source): Shape | undefined => {
    const named = shapes.filter((one) => one.name === name)
    return named.find(({ file }) => file === beside) ?? named[0]
  }
  for (const { file, node } of clients) {
    const name = node.typeArguments?.[0]?.getText() ?? 'DB'
    const database = shapeOf(name, file)
    for (const table of database?.members ?? []) {
      const shape = shapeOf(typeOf(table), (database as Shape).file)
      if (shape) findings.counts.tables++
      const key = shape?.members.find((one) => one.name?.getText() === 'id')
      if (shape && key && /^(?:Generated<)?string>?$/.test(typeOf(key)))
        leaveKey(findings, table.name?.getText() as string, sources.placeOf(shape.file, key, ''))
    }
    const how = database
      ? "the keys that are listed here, and idColumn.ref('users.id') for what refers to them"
      : `its keys; ${name} is in no file that was read: pass the file too, and they are listed`
    findings.leave(sources.placeOf(file, node, 'new Kysely(…)'), CLIENT + how)
  }
  return clients.length > 0
}

function hasPlugin(sources: Sources, file: Source, client: ts.Node): boolean {
  let isFound = false
  sources.walk(client, (one) => {
    const made = sources.ts.isIdentifier(one) && sources.callBehind(sources.scopeOf(file), one)
    if (made) isFound ||= sources.exportOf(made.scope, made.node.expression)?.module === '@snoflax/kysely'
  })
  return isFound
}

/** The column `id` of a table, which Kysely has as a text. */
function leaveKey(findings: Findings, property: string, place: Place): undefined {
  findings.counts.keys++
  const path = property.replace(/['"]/g, '')
  const name = `${path}.id`
  findings.asked.push({ name, table: path.split('.').at(-1) ?? '', column: 'id', key: name, isUuid: false })
  const stored = findings.storedIn({ name, made: undefined, isUuid: false, passed: [] })
  if (typeof stored === 'string') return findings.leave({ ...place, name }, stored)
  const isUuid = stored.kind === 'uuid'
  const options = findings.optionsFor(stored, !isUuid, false).join(', ')
  const column = isUuid ? `idColumn(uuid7, { ${options} })` : `flaxId({ ${options} })`
  return findings.leave({ ...place, name }, `declare it: ${property}: { id: ${column} }`)
}
