import {
  flax,
  type IdFamily,
  opaque,
  prefixed,
  type StorageName,
  storageFor,
  ulid,
  uuid7,
} from '@snoflax/core'
import { isOpaque } from '@snoflax/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../databases/open-database.js'
import { databases } from '../../databases.js'
import { storageDatabase } from '../variant.js'
import {
  type Key,
  type Keyed,
  type Log,
  type MatrixAdapter,
  type Mode,
  type Program,
  ROWS,
  TABLES,
} from './adapter.js'

/** A quick run has each read behind every third write. */
const TURNS = 3

type Generating = IdFamily & { generate(): string; generateAt?(time: Date): string }

type Families = Readonly<Record<Keyed, Generating>>

const bare = (family: Generating): Families => ({ people: family, posts: family, tags: family })
let made = 0
const opaqueOf = (name: string) =>
  opaque(name, { pattern: new RegExp(`${name}_\\d{6}`), generate: () => `${name}_${900_000 + ++made}` })
const uuidOf = (name: string) =>
  opaque(name, {
    pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
    generate: () => uuid(900_000 + ++made),
  })
const uuid = (number: number) => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`
/** An id of that row; opaque ones sort by it. */
function idOf(family: Generating, row: number): string {
  if (!isOpaque(family)) return family.generateAt?.(new Date(FIRST_MS + row * 86_400_000)) as string
  return family.storages.includes('uuid') ? uuid(row) : `${family.name}_${100_000 + row}`
}

const PREFIXED = 'ids with a prefix'
const ON_SERVERS: readonly string[] = [PREFIXED, 'opaque ids', 'opaque UUIDs']
const DEFINITIONS: readonly (readonly [label: string, of: Families])[] = [
  [
    PREFIXED,
    { people: prefixed(flax, 'person'), posts: prefixed(flax, 'post'), tags: prefixed(flax, 'tag') },
  ],
  ['opaque ids', { people: opaqueOf('person'), posts: opaqueOf('post'), tags: opaqueOf('tag') }],
  ['opaque UUIDs', { people: uuidOf('person'), posts: uuidOf('post'), tags: uuidOf('tag') }],
  [
    'ULIDs and UUIDv7 behind a prefix',
    { people: prefixed(ulid, 'person'), posts: prefixed(uuid7, 'post'), tags: prefixed(ulid, 'tag') },
  ],
  ['ids', bare(flax)],
  ['UUIDv7', bare(uuid7)],
]

/**
 * Each write followed by each read, with ids of ours and with the ORM's own text keys: rows, results, errors, events and
 * statements are the same. Otherwise than whole, ids with a prefix on SQLite and MySQL, with a third of the reads behind
 * each write, in turn.
 */
export function describeMatrix<Session>(adapter: MatrixAdapter<Session>, { isWhole = false } = {}): void {
  for (const { name: database, open } of databases) {
    if (!isWhole && database !== 'sqlite' && database !== 'mysql') continue
    const definitions = DEFINITIONS.filter(
      ([label]) => label === PREFIXED || (isWhole && (database === 'sqlite' || ON_SERVERS.includes(label))),
    )
    const modes = (adapter.storages[database] ?? []).flatMap((storage) =>
      definitions
        .filter(
          ([label, of]) =>
            isPossible(of.people, storage, database, adapter.refusesCompact) &&
            (label !== 'opaque UUIDs' || storage === 'uuid'),
        )
        .map(([label, of]) => ({ label, ids: { of, storage } })),
    )
    if (modes.length === 0) continue
    describe(`${adapter.orm}, ${database}`, () => {
      const plain = openedBy(adapter, open, undefined)
      const expected = new Map<string, Promise<readonly Outcome[]>>()
      const isAlone = isWhole && database === 'sqlite' && adapter.fork !== undefined
      const reads = Object.entries(adapter.reads)
      // Reads change nothing in the database, but may find what an identity map has.
      const readingsOf = (at: number) =>
        isAlone
          ? reads.map((read) => [read])
          : [isWhole ? reads : reads.filter((_, to) => (at + to) % TURNS === 0)]
      for (const { label, ids } of modes) {
        describe(`${label} as ${ids.storage}`, () => {
          const ours = openedBy(adapter, open, ids)
          const writes = Object.entries(adapter.writes).map(([write, work], at) => [write, work, at] as const)
          test.each(writes)('%s, then reads', async (write, work, turn) => {
            for (const some of readingsOf(turn)) {
              const programs = [work, ...some.map(([, read]) => read)]
              const names = ['the write', ...some.map(([name]) => name)]
              const key = JSON.stringify([write, names[1]])
              if (!expected.has(key)) expected.set(key, plain().run(programs))
              const [results, ofPlain] = await Promise.all([ours().run(programs), expected.get(key)])
              for (const [at, name] of names.entries()) {
                const refused = at > 0 ? adapter.refused?.(name, ids.storage, database) : undefined
                if (refused !== undefined && results[at]?.threw?.name === refused) continue
                expect(results[at], name).toEqual(ofPlain?.[at])
              }
            }
          })
        })
      }
    })
  }
}

/** A world for the tests of a block. */
function openedBy<Session>(
  adapter: MatrixAdapter<Session>,
  open: () => Promise<OpenDatabase>,
  ids: Ids | undefined,
): () => World<Session> {
  let world: World<Session> | undefined
  beforeAll(async () => {
    world = await World.open(adapter, await open(), ids)
  })
  afterAll(() => world?.close())
  return () => world as World<Session>
}

function isPossible(
  family: IdFamily,
  storage: StorageName,
  database: OpenDatabase['kind'],
  refusesCompact = false,
): boolean {
  try {
    const { converts } = storageFor(family, storageDatabase(database), { storage })
    return !(converts && refusesCompact)
  } catch {
    return false
  }
}

interface Ids {
  readonly of: Families
  readonly storage: StorageName
}

const FIRST_MS = Date.UTC(2026, 0, 1)
const KEYED = ['people', 'posts', 'tags'] as const
const tableOf = (row: number): Keyed => KEYED[Math.floor(row / 10) % 3] as Keyed

/** What a program returned or threw, and what happened, with keys by the numbers of their rows. */
type Outcome = Readonly<Record<'returned' | 'events' | 'statements', unknown>> & {
  readonly threw: ReturnType<typeof errorOf> | undefined
}

/** An ORM on a database of its own, with keys of one mode. */
class World<Session> {
  private readonly keys = new Map<number, string>()
  private log: [kind: Parameters<Log>[0], value: unknown][] = []

  private constructor(
    private readonly adapter: MatrixAdapter<Session>,
    private readonly database: OpenDatabase,
    private readonly ids: Ids | undefined,
  ) {}

  private session!: Session

  static async open<Session>(
    adapter: MatrixAdapter<Session>,
    database: OpenDatabase,
    ids: Ids | undefined,
  ): Promise<World<Session>> {
    const world = new World(adapter, database, ids)
    const [people, posts, tags] = KEYED.map((table) => world.typeOf(table)) as [string, string, string]
    for (const statement of TABLES({ people, posts, tags })) await database.query(statement)
    let made = 0
    const mode: Mode = { plainKey: () => `key_${900_000 + ++made}`, ...(ids && { ids }) }
    world.session = await adapter.open(database, mode, (kind, value) => world.log.push([kind, value]))
    return world
  }

  async close(): Promise<void> {
    await this.adapter.close(this.session)
    await this.database.close()
  }

  /** Runs programs one after the other on the seeded rows. */
  async run(programs: readonly Program<Session>[]): Promise<readonly Outcome[]> {
    await this.reset()
    const { adapter } = this
    const session = adapter.fork?.(this.session) ?? this.session
    const outcomes: Outcome[] = []
    const named = this.naming()
    for (const program of programs) {
      this.log = []
      const [returned, threw] = await Promise.resolve()
        .then(() => program(session, this.key))
        .then(
          (result) => [named(result), undefined] as const,
          (error: Error) => [undefined, errorOf(error)] as const,
        )
      // Some ORMs read relations at the same time.
      const of = (kind: string) => this.log.filter(([one]) => one === kind).map(([, value]) => named(value))
      outcomes.push({ returned, threw, events: of('event'), statements: of('statement').sort() })
    }
    return outcomes
  }

  private typeOf(table: Keyed): string {
    const { ids, database } = this
    const storage = storageFor(ids?.of[table] ?? flax, storageDatabase(database.kind), {
      storage: ids?.storage ?? 'text',
    })
    return ids ? storage.column.sql : storage.column.sql.replace(/\(\d+\)/, '(40)')
  }

  private readonly key: Key = (row) => {
    const ids = this.ids?.of[tableOf(row)]
    const key = this.keys.get(row) ?? (ids ? idOf(ids, row) : `key_${1000 + row}`)
    this.keys.set(row, key)
    return key
  }

  private async reset(): Promise<void> {
    for (const table of Object.keys(ROWS).reverse()) {
      if (table === 'people') await this.database.query('update people set boss_id = null')
      await this.database.query(`delete from ${table}`)
    }
    for (const [table, rows] of Object.entries(ROWS)) {
      const columns = Object.keys(rows[0] ?? {})
      const values = rows.flatMap((row) =>
        columns.map((column) =>
          /id$/.test(column) && row[column] !== null ? this.stored(row[column] as number) : row[column],
        ),
      )
      let at = 0
      const mark = () => (/sqlite|mysql/.test(this.database.kind) ? '?' : `$${++at}`)
      const tuples = rows.map(() => `(${columns.map(mark).join(', ')})`)
      await this.database.query(
        `insert into ${table} (${columns.join(', ')}) values ${tuples.join(', ')}`,
        values,
      )
    }
  }

  private stored(row: number): unknown {
    const { ids, database } = this
    if (ids === undefined) return this.key(row)
    const { storage } = ids
    return storageFor(ids.of[tableOf(row)], storageDatabase(database.kind), { storage }).toDatabase(
      this.key(row),
    )
  }

  /** Keys in a value become the numbers of their rows; new ones are numbered as they appear. */
  private naming(): (value: unknown) => unknown {
    const { ids } = this
    const names = new Map([...this.keys].map(([row, key]) => [key, `#${row}`]))
    const isKey = (text: string) =>
      ids ? KEYED.some((table) => ids.of[table].is(text)) : /^key_\d{4,6}$/.test(text)
    const named = (value: unknown): unknown => {
      if (typeof value === 'string') {
        if (!names.has(value) && isKey(value)) names.set(value, `new ${names.size}`)
        return names.get(value) ?? value
      }
      if (typeof value === 'bigint') return `${value}n`
      if (Array.isArray(value)) return value.map(named)
      if (value instanceof Map) return named([...value])
      if (value instanceof Date) return 'a date'
      if (typeof value !== 'object' || value === null) return value
      // Of MySQL's result, flags of the connection say whether an index was used.
      if ('serverStatus' in value) {
        const { serverStatus, ...result } = value
        return named(result)
      }
      // pg's result also has the connection's types.
      if ('rowCount' in value) return [value.rowCount, named((value as { rows?: unknown }).rows)]
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one)]))
    }
    return named
  }
}

/** Messages have the SQL, which has keys. */
const errorOf = (error: Error & { code?: unknown }) => ({ name: error.name, code: error.code })
