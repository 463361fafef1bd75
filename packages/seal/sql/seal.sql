-- Seals and opens ids in PostgreSQL as @snoflax/seal does in TypeScript; spec/seal.md says how.
-- Needs the extension pgcrypto: CREATE EXTENSION pgcrypto. Install it by psql -1 -f seal.sql, remove it by
-- DROP SCHEMA snoflax_seal CASCADE. A schema of this name that is there already is not touched: the script fails.

SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA snoflax_seal;
COMMENT ON SCHEMA snoflax_seal IS 'Sealed ids of snoflax. Whoever has a key opens them; these functions keep none.';

CREATE FUNCTION snoflax_seal._check_key(key bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF octet_length(key) = 32 THEN RETURN key; END IF;
  RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('seal: a key must have 32 bytes, not %s', octet_length(key));
END $$;

-- pgcrypto lies in a schema that its owner chose, which only that role can fill: its functions are named in full.
DO $do$
DECLARE
  crypto constant text := (
    SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'pgcrypto');
BEGIN
  IF crypto IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = '55000', MESSAGE = 'seal: pgcrypto is missing; run CREATE EXTENSION pgcrypto first';
  END IF;

  -- HKDF-SHA256: one round gives the 32 bytes.
  EXECUTE format($sql$
    CREATE FUNCTION snoflax_seal.derive_key(key bytea, family text, prefix text DEFAULT '') RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      RETURN %1$s.hmac(
        convert_to(concat('snoflax seal v1', chr(10), family, chr(10), prefix), 'UTF8') || '\x01'::bytea,
        %1$s.hmac(snoflax_seal._check_key(key), decode(repeat('00', 32), 'hex'), 'sha256'::text),
        'sha256'::text);
    END $body$ $sql$, crypto);

  EXECUTE format($sql$
    CREATE FUNCTION snoflax_seal.seal(id bytea, derived_key bytea, prefix text DEFAULT '') RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      IF octet_length(id) > 12 OR octet_length(id) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
          MESSAGE = format('seal: an id must have 1 to 12 bytes, not %%s', octet_length(id));
      END IF;
      RETURN CASE prefix WHEN ''::text THEN ''::text ELSE prefix || '_'::text END
        || rtrim(translate(encode(%1$s.encrypt(
          id || decode(repeat('00', 16 - octet_length(id)), 'hex'),
          snoflax_seal._check_key(derived_key), 'aes-ecb/pad:none'::text), 'base64'), '+/', '-_'), '=');
    END $body$ $sql$, crypto);

  EXECUTE format($sql$
    CREATE FUNCTION snoflax_seal.open(sealed text, derived_key bytea, byte_length integer, prefix text DEFAULT '')
    RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
    DECLARE
      head constant text := CASE prefix WHEN ''::text THEN ''::text ELSE prefix || '_'::text END;
      code constant text := substr(sealed, length(head) + 1);
      block bytea := decode(repeat('00', 16), 'hex');
      is_text constant boolean :=
        starts_with(sealed, head) AND code COLLATE "C" ~ '\A[A-Za-z0-9_-]{21}[AQgw]\Z'::text;
    BEGIN
      IF byte_length NOT BETWEEN 1 AND 12 THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('seal: an id must have 1 to 12 bytes, not %%s', byte_length);
      END IF;
      IF is_text THEN block := decode(translate(code, '-_', '+/') || '=='::text, 'base64'); END IF;
      block := %1$s.decrypt(block, snoflax_seal._check_key(derived_key), 'aes-ecb/pad:none'::text);
      IF is_text AND substr(block, byte_length + 1) = decode(repeat('00', 16 - byte_length), 'hex') THEN
        RETURN substr(block, 1, byte_length);
      END IF;
      RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('seal: not a sealed id: %%L', sealed);
    END $body$ $sql$, crypto);
END $do$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA snoflax_seal FROM PUBLIC;
