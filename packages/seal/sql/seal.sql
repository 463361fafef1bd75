-- Seals and opens ids in PostgreSQL as @snoflax/seal does in TypeScript; spec/seal.md says how.
-- Needs PostgreSQL 14 and the extension pgcrypto: CREATE EXTENSION pgcrypto. Install it by psql -1 -f seal.sql, remove it by
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

-- As seal() in TypeScript refuses keys that are not random.
CREATE FUNCTION snoflax_seal._check_random(key bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  different integer;
  steps integer;
  is_text boolean;
BEGIN
  SELECT count(DISTINCT byte), count(DISTINCT (byte - before + 256) % 256), bool_and(byte BETWEEN 32 AND 126)
    INTO different, steps, is_text
    FROM (SELECT get_byte(snoflax_seal._check_key(key), n) AS byte, CASE WHEN n > 0 THEN get_byte(key, n - 1) END AS before
      FROM generate_series(0, 31) AS n) AS bytes;
  IF different < 18 OR steps = 1 OR is_text THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'seal: a key must be random; create one with generateSealKey()';
  END IF;
  RETURN key;
END $$;

-- What sealed texts of the prefix begin with.
CREATE FUNCTION snoflax_seal._head(prefix text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF prefix = ''::text THEN RETURN prefix; END IF;
  IF prefix COLLATE "C" ~ '\A[a-z]([a-z0-9_]{0,61}[a-z0-9])?\Z'::text THEN RETURN prefix || '_'::text; END IF;
  RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
    'seal: a prefix must have 1 to 63 of a-z, 0-9 and _, begin with a letter and not end with _, not %L', prefix);
END $$;

-- Keys go to functions of pgcrypto. Bodies with RETURN are bound to those functions themselves, whatever others give their
-- names to later; and whoever owns them could replace them, so that must be a role that gets the keys anyway.
DO $do$
DECLARE
  crypto record;
  wanted text;
  owner text;
BEGIN
  SELECT e.oid, quote_ident(s.nspname) AS schema INTO crypto
    FROM pg_extension e JOIN pg_namespace s ON s.oid = e.extnamespace WHERE e.extname = 'pgcrypto';
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = '55000', MESSAGE = 'seal: pgcrypto is missing; run CREATE EXTENSION pgcrypto first';
  END IF;

  FOREACH wanted IN ARRAY ARRAY['hmac(bytea,bytea,text)', 'encrypt(bytea,bytea,text)', 'decrypt(bytea,bytea,text)'] LOOP
    SELECT r.rolname INTO owner
      FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
     WHERE p.oid = to_regprocedure(crypto.schema || '.' || wanted) AND EXISTS (
       SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
         AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = crypto.oid AND d.deptype = 'e');
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = '55000',
        MESSAGE = format('seal: %s.%s is not a function of the extension pgcrypto', crypto.schema, wanted),
        HINT = 'Drop the extension and what is in its place, and create it again.';
    ELSIF owner <> current_user AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = owner) THEN
      RAISE EXCEPTION USING ERRCODE = '42501', MESSAGE = format(
        'seal: role %I owns %s.%s, and so could run code as role %I', owner, crypto.schema, wanted, current_user),
        HINT = format('Let a superuser own it: ALTER FUNCTION %s.%s OWNER TO …', crypto.schema, wanted);
    END IF;
  END LOOP;

  EXECUTE format($sql$
    CREATE FUNCTION snoflax_seal._hmac(message bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN %1$s.hmac(message, key, 'sha256'::text);
    CREATE FUNCTION snoflax_seal._encrypt(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN %1$s.encrypt(block, key, 'aes-ecb/pad:none'::text);
    CREATE FUNCTION snoflax_seal._decrypt(block bytea, key bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN %1$s.decrypt(block, key, 'aes-ecb/pad:none'::text);
  $sql$, crypto.schema);
END $do$;

-- HKDF-SHA256: one round gives the 32 bytes.
CREATE FUNCTION snoflax_seal.derive_key(key bytea, family text, prefix text DEFAULT '') RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM snoflax_seal._head(prefix);
  RETURN snoflax_seal._hmac(
    convert_to(concat('snoflax seal v1', chr(10), family, chr(10), prefix), 'UTF8') || '\x01'::bytea,
    snoflax_seal._hmac(snoflax_seal._check_random(key), decode(repeat('00', 32), 'hex')));
END $$;

CREATE FUNCTION snoflax_seal.seal(id bytea, derived_key bytea, prefix text DEFAULT '') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF octet_length(id) > 12 OR octet_length(id) = 0 THEN
    RAISE EXCEPTION USING ERRCODE = '22023',
      MESSAGE = format('seal: an id must have 1 to 12 bytes, not %s', octet_length(id));
  END IF;
  RETURN snoflax_seal._head(prefix)
    || rtrim(translate(encode(snoflax_seal._encrypt(
      id || decode(repeat('00', 16 - octet_length(id)), 'hex'),
      snoflax_seal._check_key(derived_key)), 'base64'), '+/', '-_'), '=');
END $$;

CREATE FUNCTION snoflax_seal.open(sealed text, derived_key bytea, byte_length integer, prefix text DEFAULT '')
RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  head constant text := snoflax_seal._head(prefix);
  code constant text := substr(sealed, length(head) + 1);
  block bytea := decode(repeat('00', 16), 'hex');
  is_text constant boolean :=
    starts_with(sealed, head) AND code COLLATE "C" ~ '\A[A-Za-z0-9_-]{21}[AQgw]\Z'::text;
BEGIN
  IF byte_length NOT BETWEEN 1 AND 12 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('seal: an id must have 1 to 12 bytes, not %s', byte_length);
  END IF;
  IF is_text THEN block := decode(translate(code, '-_', '+/') || '=='::text, 'base64'); END IF;
  block := snoflax_seal._decrypt(block, snoflax_seal._check_key(derived_key));
  IF is_text AND substr(block, byte_length + 1) = decode(repeat('00', 16 - byte_length), 'hex') THEN
    RETURN substr(block, 1, byte_length);
  END IF;
  RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format('seal: not a sealed id: %L', sealed);
END $$;

-- Nobody may call them until the owner grants it, whatever default privileges say, and nobody else may create functions
-- beside them, which could get the keys. The private ones run with the caller's rights, and reveal nothing.
REVOKE ALL ON SCHEMA snoflax_seal FROM PUBLIC;
REVOKE ALL ON FUNCTION
  snoflax_seal.derive_key(bytea, text, text),
  snoflax_seal.seal(bytea, bytea, text),
  snoflax_seal.open(text, bytea, integer, text)
  FROM PUBLIC;
DO $$
DECLARE
  other text;
BEGIN
  FOR other IN
    SELECT DISTINCT a.grantee::regrole::text
      FROM pg_namespace s
      CROSS JOIN LATERAL (
        SELECT s.nspacl UNION ALL SELECT proacl FROM pg_proc WHERE pronamespace = s.oid) granted (acl)
      CROSS JOIN aclexplode(acl) a
     WHERE s.nspname = 'snoflax_seal' AND a.grantee NOT IN (0, s.nspowner)
  LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA snoflax_seal FROM %s CASCADE', other);
    EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA snoflax_seal FROM %s CASCADE', other);
  END LOOP;
END $$;
