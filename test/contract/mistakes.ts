import { type FlaxId, flake, flax, type IdErrorCode, recent, sno } from '@snoflax/core'

/** A mistake that users make in every package, and its error. */
export interface Mistake {
  readonly code: IdErrorCode
  /** The message after the path. */
  readonly text: string | RegExp
}

const worker = flake.generator({ datacenter: 1, worker: 2 })

/** The values for the mistakes, the same in every package. */
export const WRONG = {
  notAGenerator: {} as typeof flax,
  ofAnotherFamily: sno as unknown as typeof flax,
  /** Of flake's default epoch. */
  ofAnotherEpoch: worker,
  laterFlake: flake.withEpoch(1_420_070_400_000),
  malformedId: 'Kpcan0M1FakODT4',
  idOfAnotherType: 5 as unknown as FlaxId,
  ofOneRoute: recent(flax, { maxAgeMs: 86_400_000 }),
}

/** By name. */
export const MISTAKES = {
  'no generator': {
    code: 'GENERATOR_REQUIRED',
    text: /^flake has no default generator; pass .*flake\.generator\(\{ datacenter: 1, worker: 2 \}\)/,
  },
  'no such generator': {
    code: 'INVALID_OPTION',
    text: 'flax: generator must be an id generator such as flax.generator(), not an object',
  },
  'generator of another family': {
    code: 'INVALID_OPTION',
    text: 'flax: the generator generates sno ids; pass a flax generator',
  },
  'generator of another epoch': {
    code: 'INVALID_OPTION',
    text: 'flake: the generator generates flake ids with another layout or epoch; pass a generator of the same family',
  },
  'generator that is undefined': {
    code: 'INVALID_OPTION',
    text: 'generators.sno is undefined; pass a generator, or leave it out',
  },
  'generator for no family': {
    code: 'INVALID_OPTION',
    text: /^generators\.snow: no column generates snow ids, only /,
  },
  'misspelled option': {
    code: 'INVALID_OPTION',
    text: /^flax: no option "storge"; options are prefix, accept, branded, /,
  },
  'meta where ids carry none': {
    code: 'INVALID_OPTION',
    text: 'flax: ids have no metabyte; leave meta out',
  },
  'meta above 255': {
    code: 'FIELD_OUT_OF_RANGE',
    text: 'sno: meta must be an integer from 0 to 255, not 256',
  },
  'foreign key of another family': {
    code: 'INVALID_OPTION',
    text: /^stores sno ids, but references .*[Cc]ustomers?\.id with flax ids$/,
  },
  'foreign key in another storage': {
    code: 'INVALID_OPTION',
    text: /^has storage text, but references .*[Cc]ustomers?\.id with storage binary$/,
  },
  'default of the database outside PostgreSQL': {
    code: 'INVALID_OPTION',
    text: "flax: default: 'database' works with PostgreSQL, MySQL and MariaDB; in sqlite let the application generate the ids",
  },
  'schema that needs quotes': {
    code: 'INVALID_OPTION',
    text:
      'schema must be a name of lower-case letters, digits and _, up to 63 characters, not beginning with pg_ and ' +
      'not a reserved word of SQL; got "Ids"',
  },
  'order in upper case': {
    code: 'INVALID_OPTION',
    text: `keyset: order must be 'asc' or 'desc', not "DESC"`,
  },
  'page of no rows': {
    code: 'INVALID_OPTION',
    text: 'keyset: take must be a positive integer, not 0',
  },
  'storage that the database lacks': {
    code: 'STORAGE_REFUSED',
    text: /^flax in sqlite: cannot use storage uuid: SQLite has no uuid type; use text or binary$/,
  },
  'storage that the database lacks, where none converts': {
    code: 'STORAGE_REFUSED',
    text: 'flax in sqlite: cannot use storage uuid: SQLite has no uuid type; use text',
  },
  'column of ids that are checked by time': {
    code: 'STORAGE_REFUSED',
    text: 'flax: ids of recent() are for one route; declare the column by the family itself, and parse() new ids before the insert',
  },
  'malformed id': {
    code: 'INVALID_LENGTH',
    text: `flax: an id has 16 characters, not 15 ("${WRONG.malformedId}")`,
  },
  'id of another type': { code: 'INVALID_TYPE', text: 'flax: an id must be a string, not 5' },
} as const satisfies Readonly<Record<string, Mistake>>

/** How a package makes each mistake; it throws or rejects. */
export type Mistakes = { readonly [Name in keyof typeof MISTAKES]?: () => unknown }
