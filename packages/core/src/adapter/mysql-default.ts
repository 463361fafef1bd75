import type { IdFamily, StorageName } from '../family.js'
import { LAYOUT as FLAX, ALPHABET as FLAX_ALPHABET } from '../flax/layout.js'
import { baseOf, isPrefixed } from '../identity.js'
import { checkInteger, show } from '../primitives/errors.js'
import { ownOptions, refuse } from '../primitives/options.js'
import { LAYOUT as SNO, ALPHABET as SNO_ALPHABET } from '../sno/layout.js'

/** The column whose ids a DEFAULT of MySQL or MariaDB generates. */
interface MysqlDefaultOptions {
  /** sno and flake read the clock of the two servers in different ways. */
  readonly database: 'mysql' | 'mariadb'
  readonly storage: StorageName
  readonly meta: number | undefined
  readonly number: number | undefined
}

/** The last second of a DATETIME. */
const LAST_DATETIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Unix milliseconds of the statement's start, as CURRENT_TIMESTAMP, but independent of the session's time zone. */
const STATEMENT_MS = "timestampdiff(MICROSECOND,'1970-01-01',utc_timestamp(3)) DIV 1000"

/**
 * Unix milliseconds of the row, from the 60 bits of time in a UUIDv1: `sysdate()` is in the session's time zone, where
 * an hour repeats when summer time ends. `conv` returns text, which DIV converts to an exact decimal.
 */
const ROW_MS: Readonly<Record<'mysql' | 'mariadb', string>> = {
  mysql: 'conv(substr(hex(uuid_to_bin(uuid(),1)),2,15),16,10) DIV 10000 - 12219292800000',
  // The meaning of a backslash in a text depends on sql_mode.
  mariadb:
    "conv(regexp_replace(uuid(),_binary'^(.{8})-(.{4})-1(.{3}).*',concat(char(92),_binary'3',char(92),_binary'2',char(92),_binary'1')),16,10) DIV 10000 - 12219292800000",
}

/** A number that the server changes on each call. */
const COUNTER = 'uuid_short()'

const bytesOf = (number: string, digits: number): string => `unhex(lpad(hex(${number}),${digits},_binary'0'))`
const base32 = (number: string, digits: number): string => `lpad(conv(${number},10,32),${digits},_binary'0')`
const random = (bytes: number): string => `random_bytes(${bytes})`
const constant = (number: number): string => number.toString(16).toUpperCase().padStart(6, '0')

/*
 * Texts are binary: functions return text in the session's collation, literals have that of the session that created
 * the table, and MariaDB refuses to combine the two.
 */

/**
 * Replaces the digits of `conv`, the last one first, so that none is replaced twice as long as the new ones are larger.
 */
function spelled(text: string, characters: string): string {
  return [...'0123456789ABCDEFGHIJKLMNOPQRSTUV'].reduceRight((inner, digit, value) => {
    const character = characters.charAt(value)
    return digit === character ? inner : `replace(${inner},_binary'${digit}',_binary'${character}')`
  }, text)
}

function flaxText(): string {
  const time = `${STATEMENT_MS} - ${FLAX.epochMs}`
  const digit = (value: string) => `substr(_binary'${FLAX_ALPHABET.characters}',1 + (${value}),1)`
  const digits = [34, 28, 22, 16, 10, 4].map((shift) => digit(`${time} >> ${shift} & 63`))
  const mixed = digit(`(${time} & 15) << 2 | ord(${random(1)}) & 3`)
  // Nine characters, each of the 64 equally likely.
  const rest = `left(replace(replace(to_base64(${random(7)}),_binary'+',_binary'-'),_binary'/',_binary'_'),9)`
  return `concat(${[...digits, mixed, rest].join(',')})`
}

const uuid7Text = (): string => {
  const time = `lpad(hex(${STATEMENT_MS}),12,_binary'0')`
  const digits = (bytes: number) => `hex(${random(bytes)})`
  const variant = `hex(128 | ord(${random(1)}) & 63)`
  const parts = [`left(${time},8)`, `right(${time},4)`, `concat(_binary'7',left(${digits(2)},3))`]
  return `lcase(convert(concat_ws(_binary'-',${parts.join(',')},concat(${variant},${digits(1)}),${digits(6)}) using ascii))`
}

const UUID7_TAIL = `unhex(concat(_binary'7',left(hex(${random(2)}),3),hex(128 | ord(${random(1)}) & 63))),${random(7)}`
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const base32Random = `lpad(conv(hex(${random(5)}),16,32),8,_binary'0')`

interface Numbered {
  readonly now: string
  readonly meta: number
  readonly number: number
}

const snoHead = (now: string): string => `(${now} - ${SNO.epochMs}) DIV ${SNO.unitMs} * 2`
const snoTail = ({ meta, number }: Numbered): number => meta * 0x10000 + number
const flakeNumber = ({ now, number }: Numbered, epochMs: number): string =>
  `${now} - ${epochMs} << 22 | ${number} << 12 | ${COUNTER} & 4095`

/** Families that need only the clock and random bits. */
const RANDOM: Readonly<Record<string, Partial<Record<StorageName, () => string>>>> = {
  flax: {
    binary: () => `concat(${bytesOf(`${STATEMENT_MS} - ${FLAX.epochMs}`, 10)},${random(7)})`,
    text: flaxText,
  },
  uuid7: {
    binary: () => `concat(${bytesOf(STATEMENT_MS, 12)},${UUID7_TAIL})`,
    text: uuid7Text,
  },
  ulid: {
    binary: () => `concat(${bytesOf(STATEMENT_MS, 12)},${random(10)})`,
    text: () => spelled(`concat(${base32(STATEMENT_MS, 10)},${base32Random},${base32Random})`, CROCKFORD),
  },
}

type NumberedDefault = (numbered: Numbered, epochMs: number) => string

/** Families with a partition or worker id and a counter. */
const NUMBERED: Readonly<
  Record<string, { last: number; storages: Partial<Record<StorageName, NumberedDefault>> }>
> = {
  sno: {
    last: 0xffff,
    storages: {
      binary: (numbered) =>
        `concat(${bytesOf(snoHead(numbered.now), 10)},unhex('${constant(snoTail(numbered))}'),${bytesOf(`${COUNTER} & 65535`, 4)})`,
      text: (numbered) =>
        spelled(
          `concat(${base32(snoHead(numbered.now), 8)},${base32(`${snoTail(numbered) * 0x10000} | ${COUNTER} & 65535`, 8)})`,
          SNO_ALPHABET.characters,
        ),
    },
  },
  flake: {
    last: 1023,
    storages: {
      binary: (numbered, epochMs) => bytesOf(flakeNumber(numbered, epochMs), 16),
      bigint: flakeNumber,
    },
  },
}

/**
 * The DEFAULT expression with which MySQL (from 8.0.13) or MariaDB (from 10.10) generates a column's ids, of built-in
 * functions only.
 *
 * @throws {IdError} `INVALID_OPTION` for a family or storage that built-in functions can't generate, and for sno and
 * flake without `number`; `FIELD_OUT_OF_RANGE` for a `number` or `meta` out of range.
 */
export function mysqlDefault(family: IdFamily, options: MysqlDefaultOptions): string {
  const { name } = baseOf(family)
  const { storage, database, meta = 0, number: ownNumber } = ownOptions(options)
  const head = storage === 'text' && isPrefixed(family) ? `${family.prefix}_` : ''
  const headed = (text: string) => (head === '' ? text : `concat(_binary'${head}',${text})`)
  const numbered = NUMBERED[name]
  if (numbered === undefined) {
    return within(family, database, headed((RANDOM[name]?.[storage] ?? refuseStorage(name, storage))()))
  }
  const expression = numbered.storages[storage] ?? refuseStorage(name, storage)
  if (ownNumber === undefined) {
    const reason =
      `ids that ${database} generates need their own partition or worker; put the default of columnSql() from ` +
      '@snoflax/mysql-sql into a migration, or let the application generate the ids'
    refuse(name, 'number', undefined, reason)
  }
  const number = checkInteger(name, 'number', ownNumber, 0, numbered.last)
  const bits = expression({ now: ROW_MS[database], meta, number }, family.layout.epochMs)
  return within(family, database, headed(bits))
}

/**
 * NULL, which a key refuses, if the clock is outside the family's span. Spelled as MariaDB returns it, so that a schema
 * diff finds no change; MySQL needs brackets, which MariaDB omits.
 */
function within({ firstMs, lastMs }: IdFamily, database: 'mysql' | 'mariadb', expression: string): string {
  const [first, last] = [firstMs, Math.min(lastMs, LAST_DATETIME_MS)].map((timeMs) =>
    new Date(timeMs).toISOString().slice(0, 19).replace('T', ' '),
  )
  const checked = `if(utc_timestamp() between '${first}' and '${last}',${expression},NULL)`
  return database === 'mysql' ? `(${checked})` : checked
}

function refuseStorage(name: string, storage: StorageName): never {
  const families = [
    ...Object.entries(RANDOM),
    ...Object.entries(NUMBERED).map(([one, { storages }]) => [one, storages]),
  ]
  const known = families.map(([one, storages]) => `${one} (${Object.keys(storages as object).join(', ')})`)
  const reason =
    `MySQL and MariaDB have no built-in DEFAULT for storage ${show(storage)}; ` +
    `these have one: ${known.join(', ')}; for others let the application generate the ids`
  refuse(name, 'default', storage, reason)
}
