import type { Section } from '../report.js'
import { compareMakers } from './compare.js'
import type { Place } from './place.js'

export const generate: Section<Place> = {
  name: 'pg-generate',
  run: async ({ session }) => ({
    title: 'A new id in PostgreSQL',
    about: 'Calls in a SELECT, in one session.',
    ...(await compareMakers(
      session,
      {
        'flax_generate()': 'snoflax.flax_generate()',
        'flax_generate_uuid()': 'snoflax.flax_generate_uuid()',
        'flax_generate_uuid8()': 'snoflax.flax_generate_uuid8()',
        'flax_generate_text()': 'snoflax.flax_generate_text()',
        'sno_generate()': 'snoflax.sno_generate()',
        'sno_generate_uuid()': 'snoflax.sno_generate_uuid()',
        'sno_generate_text()': 'snoflax.sno_generate_text()',
        'flake_generate()': 'snoflax.flake_generate()',
        'flake_generate_bigint()': 'snoflax.flake_generate_bigint()',
        'uid_generate()': 'snoflax.uid_generate()',
        'uid_generate_uuid()': 'snoflax.uid_generate_uuid()',
        'uid_generate_text()': 'snoflax.uid_generate_text()',
        'uid_local_generate_bigint()': 'snoflax.uid_local_generate_bigint()',
        'uid_local_generate_text()': 'snoflax.uid_local_generate_text()',
        'uuid7_generate()': 'snoflax.uuid7_generate()',
        'ulid_generate()': 'snoflax.ulid_generate()',
        'ulid_generate_text()': 'snoflax.ulid_generate_text()',
        "typeid_generate('user')": "snoflax.typeid_generate('user')",
        'gen_random_uuid()': 'gen_random_uuid()',
        'uuidv7()': 'uuidv7()',
        'UUIDv7 in SQL': 'sql_uuidv7()',
        'ULID in PL/pgSQL': 'plpgsql_ulid()',
        'Snowflake in PL/pgSQL': 'plpgsql_snowflake()',
      },
      [
        'gen_random_uuid()',
        'uuidv7()',
        'UUIDv7 in SQL',
        'ULID in PL/pgSQL',
        'Snowflake in PL/pgSQL',
        'sno_generate()',
      ],
      {
        'gen_random_uuid()': {
          'flax_generate()': 1.2,
          'flax_generate_text()': 2.5,
          'sno_generate()': 2,
        },
        'sno_generate()': { 'sno_generate_uuid()': 1.5 },
        'UUIDv7 in SQL': { 'uuid7_generate()': 1 },
        'ULID in PL/pgSQL': { 'ulid_generate_text()': 1 },
      },
    )),
  }),
}
