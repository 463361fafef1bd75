/**
 * Three schemas that many people know, in words of our own: their tables, keys, foreign keys, views and triggers, with
 * few of their other columns. Chinook is Luis Rocha's (MIT), Northwind Microsoft's (Ms-PL), Pagila Devrim Gündüz's
 * (PostgreSQL License), after MySQL's Sakila (BSD).
 */
export interface WellKnown {
  readonly name: string
  readonly tables: readonly Table[]
  /** Views, triggers and what else hangs on keys. */
  readonly more: readonly string[]
}

export interface Table {
  readonly name: string
  /** Undefined where the primary key is made of foreign keys. */
  readonly key: string | undefined
  readonly type: 'serial' | 'smallint' | 'bpchar' | 'varchar(20)'
  /** The foreign keys, by column; those that take no null end with `!`. */
  readonly references: Readonly<Record<string, string>>
  /** A column of its own that tells when a row was made. */
  readonly time: string | undefined
  /** Whether its primary key is made of the foreign keys. */
  readonly isJunction: boolean
}

const table = (
  name: string,
  references: Readonly<Record<string, string>> = {},
  { type = 'serial', time, key }: { type?: Table['type']; time?: string; key?: string } = {},
): Table => ({ name, key: key ?? `${name}_id`, type, references, time, isJunction: false })

const junction = (name: string, references: Readonly<Record<string, string>>): Table => ({
  ...table(name, references),
  key: undefined,
  isJunction: true,
})

export const CHINOOK: WellKnown = {
  name: 'Chinook',
  tables: [
    table('artist'),
    table('album', { artist_id: 'artist!' }),
    table('employee', { reports_to: 'employee' }, { time: 'hire_date' }),
    table('customer', { support_rep_id: 'employee' }),
    table('genre'),
    table('media_type'),
    table('track', { album_id: 'album', media_type_id: 'media_type!', genre_id: 'genre' }),
    table('invoice', { customer_id: 'customer!' }, { time: 'invoice_date' }),
    table('invoice_line', { invoice_id: 'invoice!', track_id: 'track!' }),
    table('playlist'),
    junction('playlist_track', { playlist_id: 'playlist!', track_id: 'track!' }),
  ],
  more: [],
}

const code = { type: 'bpchar' } as const
const small = { type: 'smallint' } as const

export const NORTHWIND: WellKnown = {
  name: 'Northwind',
  tables: [
    table('categories', {}, { ...small, key: 'category_id' }),
    table('customer_demographics', {}, { ...code, key: 'customer_type_id' }),
    table('customers', {}, { ...code, key: 'customer_id' }),
    junction('customer_customer_demo', {
      customer_id: 'customers!',
      customer_type_id: 'customer_demographics!',
    }),
    table('employees', { reports_to: 'employees' }, { ...small, key: 'employee_id', time: 'hire_date' }),
    table('region', {}, small),
    table('territories', { region_id: 'region!' }, { type: 'varchar(20)', key: 'territory_id' }),
    junction('employee_territories', { employee_id: 'employees!', territory_id: 'territories!' }),
    table('suppliers', {}, { ...small, key: 'supplier_id' }),
    table('shippers', {}, { ...small, key: 'shipper_id' }),
    table(
      'products',
      { supplier_id: 'suppliers', category_id: 'categories' },
      { ...small, key: 'product_id' },
    ),
    table(
      'orders',
      { customer_id: 'customers', employee_id: 'employees', ship_via: 'shippers' },
      { ...small, key: 'order_id', time: 'order_date' },
    ),
    junction('order_details', { order_id: 'orders!', product_id: 'products!' }),
  ],
  more: [
    'CREATE VIEW product_list AS SELECT p.name AS product, c.name AS category FROM products AS p JOIN categories AS c USING (category_id)',
    `CREATE VIEW order_subtotals AS SELECT order_id, o.name, count(*) AS line_count FROM orders AS o JOIN order_details AS d USING (order_id) GROUP BY order_id`,
  ],
}

const time = 'last_update'
const PAYMENTS = [1, 2, 3].map(
  (month) =>
    `CREATE TABLE payment_p2022_0${month} PARTITION OF payment FOR VALUES FROM ('2022-0${month}-01') TO ('2022-0${month + 1}-01')`,
)
const TOUCHED =
  'actor address category city country customer film film_actor film_category inventory language rental staff store'

export const PAGILA: WellKnown = {
  name: 'Pagila',
  tables: [
    table('actor', {}, { time }),
    table('category', {}, { time }),
    table('country', {}, { time }),
    table('city', { country_id: 'country!' }, { time }),
    table('address', { city_id: 'city!' }, { time }),
    table('language', {}, { time }),
    table('film', { language_id: 'language!', original_language_id: 'language' }, { time }),
    junction('film_actor', { actor_id: 'actor!', film_id: 'film!' }),
    junction('film_category', { film_id: 'film!', category_id: 'category!' }),
    table('store', { address_id: 'address!' }, { time }),
    table('staff', { address_id: 'address!', store_id: 'store!' }, { time }),
    table('customer', { store_id: 'store!', address_id: 'address!' }, { time }),
    table('inventory', { film_id: 'film!', store_id: 'store!' }, { time }),
    table('rental', { inventory_id: 'inventory!', customer_id: 'customer!', staff_id: 'staff!' }, { time }),
  ],
  more: [
    'CREATE FUNCTION last_updated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.last_update = CURRENT_TIMESTAMP; RETURN NEW; END $$',
    'ALTER TABLE film_actor ADD COLUMN last_update timestamptz',
    'ALTER TABLE film_category ADD COLUMN last_update timestamptz',
    ...TOUCHED.split(' ').map(
      (one) =>
        `CREATE TRIGGER last_updated BEFORE UPDATE ON ${one} FOR EACH ROW EXECUTE FUNCTION last_updated()`,
    ),
    'ALTER TABLE film ADD COLUMN fulltext tsvector',
    `CREATE TRIGGER film_fulltext_trigger BEFORE INSERT OR UPDATE ON film FOR EACH ROW
       EXECUTE FUNCTION tsvector_update_trigger('fulltext', 'pg_catalog.english', 'name')`,
    'CREATE INDEX film_fulltext_idx ON film USING gist (fulltext)',
    'CREATE UNIQUE INDEX idx_unq_rental ON rental (last_update, inventory_id, customer_id)',
    `CREATE TABLE payment (payment_id integer GENERATED BY DEFAULT AS IDENTITY, customer_id integer NOT NULL, staff_id integer NOT NULL,
       rental_id integer NOT NULL, amount numeric(5, 2), payment_date timestamptz NOT NULL, PRIMARY KEY (payment_date, payment_id)) PARTITION BY RANGE (payment_date)`,
    ...PAYMENTS,
    // Each partition has foreign keys and indexes of its own, as Pagila has them.
    ...[1, 2, 3].flatMap((month) => [
      ...['customer', 'staff', 'rental'].map(
        (one) =>
          `ALTER TABLE payment_p2022_0${month} ADD CONSTRAINT payment_p2022_0${month}_${one}_id_fkey FOREIGN KEY (${one}_id) REFERENCES ${one} (${one}_id)`,
      ),
      `CREATE INDEX idx_fk_payment_p2022_0${month}_customer_id ON payment_p2022_0${month} (customer_id)`,
    ]),
    `INSERT INTO payment (customer_id, staff_id, rental_id, amount, payment_date) SELECT customer_id, staff_id, rental_id, 1 + rental_id % 9,
       '2022-01-01Z'::timestamptz + rental_id % 80 * interval '1 day' FROM rental`,
    `CREATE VIEW actor_info AS SELECT a.actor_id, a.name, string_agg(DISTINCT c.name || ': ' || (SELECT string_agg(f.name, ', ' ORDER BY f.name) FROM film AS f
         JOIN film_category AS fc1 USING (film_id) JOIN film_actor AS fa1 USING (film_id)
        WHERE fc1.category_id = c.category_id AND fa1.actor_id = a.actor_id GROUP BY fa1.actor_id), '; ') AS film_info
       FROM actor AS a LEFT JOIN film_actor USING (actor_id) LEFT JOIN film_category USING (film_id) LEFT JOIN category AS c USING (category_id)
      GROUP BY a.actor_id, a.name`,
    `CREATE VIEW customer_list AS SELECT cu.customer_id AS id, cu.name, a.name AS address, city.name AS city, country.name AS country, cu.store_id AS sid
       FROM customer AS cu JOIN address AS a USING (address_id) JOIN city USING (city_id) JOIN country USING (country_id)`,
    `CREATE VIEW staff_list AS SELECT s.staff_id AS id, s.name, a.name AS address, s.store_id AS sid FROM staff AS s JOIN address AS a USING (address_id)`,
    `CREATE VIEW film_list AS SELECT film.film_id AS fid, film.name AS title, category.name AS category, string_agg(actor.name, ', ' ORDER BY actor.name) AS actors
       FROM category LEFT JOIN film_category USING (category_id) LEFT JOIN film USING (film_id) JOIN film_actor USING (film_id) JOIN actor USING (actor_id)
      GROUP BY film.film_id, film.name, category.name`,
    `CREATE MATERIALIZED VIEW rental_by_category AS SELECT c.name AS category, sum(p.amount) AS total_sales FROM payment AS p JOIN rental USING (rental_id)
       JOIN inventory USING (inventory_id) JOIN film USING (film_id) JOIN film_category USING (film_id) JOIN category AS c USING (category_id) GROUP BY c.name`,
    'CREATE UNIQUE INDEX rental_category ON rental_by_category (category)',
    `CREATE VIEW sales_by_store AS SELECT city.name || ',' || country.name AS store, m.name AS manager, sum(p.amount) AS total_sales FROM payment AS p
       JOIN rental AS r ON p.rental_id = r.rental_id JOIN inventory AS i ON r.inventory_id = i.inventory_id JOIN store AS s ON i.store_id = s.store_id
       JOIN address AS a ON s.address_id = a.address_id JOIN city USING (city_id) JOIN country USING (country_id) JOIN staff AS m ON m.store_id = s.store_id
      GROUP BY country.name, city.name, s.store_id, m.name`,
  ],
}

/** MySQL's form of Pagila. Its triggers are set aside: MariaDB's adoption refuses them in the plan. */
export const SAKILA: WellKnown = {
  ...PAGILA,
  name: 'Sakila',
  tables: [
    ...PAGILA.tables,
    table(
      'payment',
      { customer_id: 'customer!', staff_id: 'staff!', rental_id: 'rental' },
      { time: 'payment_date' },
    ),
  ],
  more: [
    'CREATE UNIQUE INDEX idx_unq_rental ON rental (last_update, inventory_id, customer_id)',
    'CREATE INDEX idx_title ON film (name)',
    `CREATE VIEW customer_list AS SELECT cu.customer_id AS id, cu.name, a.name AS address, city.name AS city, country.name AS country, cu.store_id AS sid
       FROM customer AS cu JOIN address AS a ON a.address_id = cu.address_id JOIN city ON city.city_id = a.city_id JOIN country ON country.country_id = city.country_id`,
    `CREATE VIEW film_list AS SELECT film.film_id AS fid, film.name AS title, category.name AS category, actor.name AS actor
       FROM category JOIN film_category ON film_category.category_id = category.category_id JOIN film ON film.film_id = film_category.film_id
       JOIN film_actor ON film_actor.film_id = film.film_id JOIN actor ON actor.actor_id = film_actor.actor_id`,
    `CREATE VIEW sales_by_store AS SELECT m.name AS manager, city.name AS city, count(*) AS sales FROM payment AS p JOIN rental AS r ON p.rental_id = r.rental_id
       JOIN inventory AS i ON r.inventory_id = i.inventory_id JOIN store AS s ON i.store_id = s.store_id JOIN address AS a ON s.address_id = a.address_id
       JOIN city ON city.city_id = a.city_id JOIN staff AS m ON m.store_id = s.store_id GROUP BY m.name, city.name, s.store_id`,
  ],
}

/** What one database writes differently. */
interface Dialect {
  /** Of a foreign key to a column of the type. */
  readonly types: Partial<Record<Table['type'], string>>
  readonly keyTypes: Partial<Record<Table['type'], string>>
  /** A number as six digits. */
  readonly digits: (number: string) => string
  readonly concat: (...texts: string[]) => string
  readonly quotient: (one: string, other: number) => string
  readonly time: string
  readonly timeOf: string
  readonly insert: string
  /** Rows with a number `n` each, from 1. */
  readonly numbers: (rows: number) => string
  readonly orNothing: string
}

const piped = (...texts: string[]): string => texts.join(' || ')

const DIALECTS: Record<'postgres' | 'mysql' | 'sqlite', Dialect> = {
  postgres: {
    types: { serial: 'integer' },
    keyTypes: {},
    digits: (number) => `lpad((${number})::text, 6, '0')`,
    concat: piped,
    quotient: (one, other) => `${one} / ${other}`,
    time: 'timestamptz',
    timeOf: "'2021-01-01Z'::timestamptz + n * interval '7 minutes'",
    insert: 'INSERT',
    numbers: (rows) => `generate_series(1, ${rows}) AS n`,
    orNothing: 'ON CONFLICT DO NOTHING',
  },
  mysql: {
    types: { serial: 'int unsigned', smallint: 'smallint unsigned', bpchar: 'char(7)' },
    keyTypes: { serial: 'int unsigned AUTO_INCREMENT', smallint: 'smallint unsigned AUTO_INCREMENT' },
    digits: (number) => `lpad(${number}, 6, '0')`,
    concat: (...texts) => `concat(${texts.join(', ')})`,
    quotient: (one, other) => `${one} DIV ${other}`,
    time: 'timestamp(3) DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3)',
    timeOf: "'2021-01-01' + INTERVAL n * 7 MINUTE",
    insert: 'INSERT IGNORE',
    numbers: (rows) => `(SELECT seq AS n FROM seq_1_to_${rows}) AS numbers`,
    orNothing: '',
  },
  sqlite: {
    types: { serial: 'integer', bpchar: 'character(5)' },
    keyTypes: {},
    digits: (number) => `printf('%06d', ${number})`,
    concat: piped,
    quotient: (one, other) => `${one} / ${other}`,
    time: 'timestamp',
    timeOf: "strftime('%Y-%m-%d %H:%M:%f', '2021-01-01', (n * 7) || ' minutes')",
    insert: 'INSERT OR IGNORE',
    numbers: (rows) =>
      `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows}) SELECT n FROM numbers)`,
    orNothing: '',
  },
}

/** Statements that make the schema with so many rows in each table, few in those that others share. */
export function wellKnownSql(
  { tables, more }: WellKnown,
  rows: number,
  kind: keyof typeof DIALECTS,
): string[] {
  const dialect = DIALECTS[kind]
  const typeOf = (type: Table['type']) => dialect.types[type] ?? type
  const targetOf = (name: string) => tables.find((one) => one.name === name) as Table
  const value = (type: Table['type'], number: string) =>
    type === 'bpchar' || type === 'varchar(20)' ? dialect.concat("'K'", dialect.digits(number)) : number
  return [
    ...tables.flatMap(({ name, key, type, references, time: column, isJunction }) => {
      const followers = Object.entries(references).map(
        ([own, target]) => [own, targetOf(target.replace('!', '')), target.endsWith('!')] as const,
      )
      const columns = [
        ...(key === undefined
          ? []
          : [`${key} ${dialect.keyTypes[type] ?? (kind === 'postgres' ? type : typeOf(type))} PRIMARY KEY`]),
        ...followers.map(
          ([own, target, isNeeded]) =>
            `${own} ${typeOf(target.type)}${isNeeded ? ' NOT NULL' : ''} REFERENCES ${target.name} (${target.key})`,
        ),
        ...(column === undefined ? [] : [`${column} ${dialect.time} NOT NULL`]),
        ...(isJunction ? [`PRIMARY KEY (${Object.keys(references).join(', ')})`] : ['name text']),
      ]
      const inserted = [
        ...(key === undefined ? [] : [[key, value(type, 'n')] as const]),
        ...followers.map(([own, target, isNeeded], i) => {
          const number =
            isJunction && i === 0
              ? `1 + ${dialect.quotient('(n - 1)', 5)} % ${rows}`
              : `1 + (n * ${7 + 4 * i} % ${target.name === name ? 'n' : rows})`
          const its = value(target.type, number)
          return [own, isNeeded ? its : `CASE WHEN n % 4 > 0 THEN ${its} END`] as const
        }),
        ...(isJunction ? [] : [['name', dialect.concat(`'${name} '`, 'n')] as const]),
        ...(column === undefined ? [] : [[column, dialect.timeOf] as const]),
      ]
      return [
        `CREATE TABLE ${name} (${columns.join(', ')})`,
        `${dialect.insert} INTO ${name} (${inserted.map(([own]) => own).join(', ')}) SELECT ${inserted.map(([, sql]) => sql).join(', ')} FROM ${dialect.numbers(rows)} WHERE true ${dialect.orNothing}`,
        ...Object.keys(references).map((own) => `CREATE INDEX ${name}_${own}_idx ON ${name} (${own})`),
      ]
    }),
    ...more,
  ]
}
