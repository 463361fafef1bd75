import type { Variant } from '../variant.js'

/** A row of a table: its id, and its note, by which the tests know it. */
export interface Planted {
  readonly table: 'rows' | 'others'
  readonly id: string
  readonly note: string
  /** Values of further columns: `n` is a number, the tenant or version of a key, or the key itself. */
  readonly n?: number
}

/**
 * A way of declaring an id column. Adapters declare the model `others`, if the form has it, and then `rows`, with the columns
 * `id`, `note` and, where the form has it, `n`, named as in the database, unless the form says so.
 */
export interface Form {
  /** CREATE statements, with the type of ids, that of short texts and a CHECK of ids, for the databases that have the form. */
  create(id: string, text: string, check?: string): readonly string[]
  /** Rows besides those that have ids of their own, for the id of the row `2` and for another one. */
  plant?(id: string, other: string): readonly Planted[]
  /** Whether `n` is null in the rows that have ids of their own. */
  readonly isNull?: boolean
  /** The notes of the rows that `find` gives for the id of the row `2`; `row` has the first of them. */
  readonly found: readonly string[]
  /** Whether `also` leaves rows out. */
  readonly hasMore?: boolean
  /** Whether pages by the column make sense: it is unique. Default true. */
  readonly isPaged?: boolean
  /** Databases that have it. Default: all. */
  readonly databases?: readonly Variant['database'][]
  /** What the declaration is refused with, where all tables are known. */
  readonly refused?: RegExp
  /** Whether it is about prefixes. */
  readonly isOfPrefix?: boolean
}

/** The note of a row that no answer may have. */
export const HIDDEN = 'hidden'

const POSTGRES: readonly Variant['database'][] = ['pglite', 'postgres']
const numbered = (more: string) => (id: string, text: string) => [
  `create table rows (n integer not null, id ${id} not null, note ${text} not null${more && `, ${more}`})`,
]
const rowsTable = (id: string, text: string) =>
  `create table rows (id ${id} not null primary key, note ${text} not null)`
const others = (column: string, more: string) => (id: string, text: string) => [
  rowsTable(id, text),
  `create table others (n integer not null, ${column} ${id} not null references rows (id), note ${text} not null, ${more})`,
]
const versions = (count: number) => (id: string) =>
  Array.from(
    { length: count },
    (_, at) => ({ table: 'rows', id, note: `version ${at}`, n: 100 + at }) as const,
  )

const KEY = { create: (id: string, text: string) => [rowsTable(id, text)], found: ['2'] }

/** A key with a CHECK. */
export const CHECKED_KEY: Form = {
  create: (id, text, check) => [`${rowsTable(id, text).slice(0, -1)}, check (${check}))`],
  found: ['2'],
}
const OF_NUMBERED_KEY = { create: numbered('primary key (n), unique (id)'), found: ['2'] }
const REFUSED = { found: [], isPaged: false }

/** Forms of declaring an id column, and what `find` answers. */
export const FORMS = {
  'key, declared at the column': KEY,
  'key, declared at the table': KEY,
  'key of a column with another name': {
    create: (id: string, text: string) => [
      `create table rows (id_ ${id} not null primary key, note ${text} not null)`,
    ],
    found: ['2'],
  },
  'part of a composite key': {
    create: numbered('primary key (n, id)'),
    plant: (id: string) => [{ table: 'rows', id, note: 'of another tenant', n: 100 }],
    found: ['2', 'of another tenant'],
    isPaged: false,
  },
  'key with versions': {
    create: numbered('primary key (id, n)'),
    plant: versions(10),
    found: ['2', ...versions(10)('').map(({ note }) => note)],
    isPaged: false,
  },
  'key with more versions than are listed': {
    create: numbered('primary key (id, n)'),
    plant: versions(13),
    found: ['2', ...versions(10)('').map(({ note }) => note)],
    hasMore: true,
    isPaged: false,
  },
  'unique, declared at the column': OF_NUMBERED_KEY,
  'unique, declared at the table': OF_NUMBERED_KEY,
  'unique index': {
    create: (id: string, text: string) => [
      ...numbered('primary key (n)')(id, text),
      'create unique index rows_id on rows (id)',
    ],
    found: ['2'],
  },
  'part of a unique set': {
    create: numbered('primary key (n), unique (note, id)'),
    plant: (id: string) => [{ table: 'rows', id, note: 'same id', n: 100 }],
    found: ['2', 'same id'],
    isPaged: false,
  },
  'generated, beside a numeric key': OF_NUMBERED_KEY,
  'neither generated nor unique': {
    create: numbered('primary key (n)'),
    found: [],
    isPaged: false,
  },
  reference: { create: others('row_id', 'primary key (n)'), plant: referring, found: ['2'] },
  'reference that is the key': {
    create: others('row_id', 'primary key (row_id)'),
    plant: referring,
    found: ['2', 'refers'],
  },
  'reference in a composite key': {
    create: others('row_id', 'primary key (row_id, n)'),
    plant: referring,
    found: ['2', 'refers'],
  },
  'table of a schema': {
    create: (id: string, text: string) => [
      'create schema ids',
      `create table ids.rows (id ${id} not null primary key, note ${text} not null)`,
    ],
    found: ['2'],
    databases: POSTGRES,
  },
  'partitioned table': {
    create: (id: string, text: string) => [
      `create table rows (id ${id} not null primary key, note ${text} not null) partition by hash (id)`,
      ...[0, 1].map(
        (at) => `create table rows_${at} partition of rows for values with (modulus 2, remainder ${at})`,
      ),
    ],
    found: ['2'],
    databases: POSTGRES,
  },
  'table with a view, others': {
    create: (id: string, text: string) => [
      rowsTable(id, text),
      'create view others as select id, note from rows',
    ],
    found: ['2'],
  },
  'two models of one table': KEY,
  'soft-deleted row, whose n is not null': {
    create: (id: string, text: string) => [
      `create table rows (n integer, id ${id} not null primary key, note ${text} not null)`,
    ],
    plant: (_: string, other: string) => [{ table: 'rows', id: other, note: HIDDEN, n: 1 }],
    isNull: true,
    found: ['2'],
  },
  'single-table inheritance, by note': KEY,
  'table per type, others being the parent': {
    create: (id: string, text: string) => [
      `create table others (id ${id} not null primary key)`,
      `create table rows (id ${id} not null primary key references others (id), note ${text} not null)`,
    ],
    found: ['2'],
  },
  'declared in an abstract class': KEY,
  'inside an embedded object': {
    create: (id: string, text: string) => [
      `create table rows (n integer not null primary key, of_id ${id} not null unique, note ${text} not null)`,
    ],
    found: ['2'],
  },
  'two tables that generate ids of one prefix': {
    create: (id: string, text: string) => [
      rowsTable(id, text),
      `create table others (id ${id} not null primary key)`,
    ],
    ...REFUSED,
    refused: /prefix|opaque ids named/,
    isOfPrefix: true,
  },
  'foreign key that generates ids': {
    create: others('row_id', 'primary key (n)'),
    ...REFUSED,
    refused: /references|prefix/,
  },
} satisfies Readonly<Record<string, Form>>

export type FormName = keyof typeof FORMS

function referring(id: string): readonly Planted[] {
  return [{ table: 'others', id, note: 'refers', n: 7 }]
}
