-- Made by scripts/fill.js from sql/install.sql.
-- Runs before the other files: one installation at a time, and none over a newer one.
SELECT pg_advisory_xact_lock(1936617320, hashtext('snoflax'));

DO $$
DECLARE
  installed text;
BEGIN
  IF to_regprocedure('snoflax.version()') IS NULL THEN RETURN; END IF;
  EXECUTE 'SELECT snoflax.version()' INTO installed;
  -- A pre-release counts as its release.
  IF string_to_array(split_part(installed, '-', 1), '.')::integer[]
    > string_to_array(split_part('@version@', '-', 1), '.')::integer[]
  THEN
    RAISE EXCEPTION 'install: version % is installed, which is newer than @version@', installed
      USING ERRCODE = '55000', HINT = 'Install with the newer package.';
  END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS snoflax;

CREATE OR REPLACE FUNCTION snoflax.version() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '@version@';

COMMENT ON FUNCTION snoflax.version() IS 'The version of these functions.';
