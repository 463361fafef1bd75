/** Functions that people write by hand if neither the server nor an extension has them. */
export const PEERS = `
-- The millisecond and the random digits of a UUIDv4, put together as hex. Its variant bits are right already.
CREATE FUNCTION sql_uuidv7() RETURNS uuid LANGUAGE sql VOLATILE
RETURN (
  lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
  || '7' || substr(encode(uuid_send(gen_random_uuid()), 'hex'), 14)
)::uuid;

CREATE FUNCTION sql_uuidv7_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN to_timestamp(('x0000' || encode(substring(uuid_send(id), 1, 6), 'hex'))::bit(64)::bigint / 1000.0);

CREATE FUNCTION sql_uuidv7_bound(at timestamptz) RETURNS uuid LANGUAGE sql STABLE
RETURN (
  lpad(to_hex(ceil(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000000000000000'
)::uuid;

CREATE FUNCTION plpgsql_ulid() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  alphabet constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms bigint := extract(epoch FROM clock_timestamp()) * 1000;
  random bytea := substring(uuid_send(gen_random_uuid()), 12) || substring(uuid_send(gen_random_uuid()), 12);
  part bigint;
  result text := '';
BEGIN
  FOR i IN REVERSE 9..0 LOOP
    result := result || substr(alphabet, ((ms >> (5 * i)) & 31)::integer + 1, 1);
  END LOOP;
  FOR half IN 0..1 LOOP
    part := ('x' || encode(substring(random, 5 * half + 1, 5), 'hex'))::bit(40)::bigint;
    FOR i IN REVERSE 7..0 LOOP
      result := result || substr(alphabet, ((part >> (5 * i)) & 31)::integer + 1, 1);
    END LOOP;
  END LOOP;
  RETURN result;
END $$;

-- Milliseconds since an epoch, a shard of 13 bits, and 10 bits of a sequence, as a bigint.
CREATE SEQUENCE snowflake_numbers;
CREATE FUNCTION plpgsql_snowflake() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
BEGIN
  RETURN ((ms - 1420070400000) << 23) | (5 << 10) | (nextval('snowflake_numbers') % 1024);
END $$;
`
