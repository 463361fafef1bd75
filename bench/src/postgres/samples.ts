/** Calls in a turn: few, so that many turns run undisturbed. */
export const STEPS = 500

/** Ids in every form, and times, one row for each step. */
export const SAMPLES = `
CREATE TABLE samples AS
SELECT number, flax, snoflax.flax_to_uuid(flax) AS flax_uuid, snoflax.flax_to_uuid8(flax) AS flax_uuid8,
    snoflax.flax_encode(flax) COLLATE "C" AS flax_text,
    sno, snoflax.sno_to_uuid(sno) AS sno_uuid, snoflax.sno_encode(sno) COLLATE "C" AS sno_text,
    uid, snoflax.uid_to_uuid(uid) AS uid_uuid, snoflax.uid_encode(uid) COLLATE "C" AS uid_text,
    flake, snoflax.flake_to_bigint(flake) AS flake_bigint, snoflax.flake_encode(flake) AS flake_text,
    uid_local, snoflax.uid_local_to_bigint(uid_local) AS uid_local_bigint,
    snoflax.uid_local_encode(uid_local) COLLATE "C" AS uid_local_text,
    uuid, uuid::text COLLATE "C" AS uuid_text, clock_timestamp() - number * interval '1 hour' AS at
  FROM (
    SELECT number, snoflax.flax_generate() AS flax, snoflax.sno_generate((number % 256)::integer) AS sno,
        snoflax.uid_generate() AS uid, snoflax.flake_generate() AS flake,
        snoflax.uid_local_generate() AS uid_local, sql_uuidv7() AS uuid
      FROM generate_series(1, ${STEPS}) AS number
    OFFSET 0
  ) AS made;
ANALYZE samples;
`
