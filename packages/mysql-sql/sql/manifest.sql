-- What an installation put into the schema, so that drift() can tell what has changed since. Runs after the other files.

-- Tables and what belongs to them keep their rows, so that installing again does not bless what was altered meanwhile. A
-- version that alters them deletes these rows before this file runs.
CREATE TABLE IF NOT EXISTS snoflax._manifest (
  object varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
  definition char(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'See definitions.sql.',
  server varchar(128) NOT NULL COMMENT 'The version of the server that worded the definition.'
) ENGINE = InnoDB COMMENT 'What was installed; written by the installation.'
//
DELETE FROM snoflax._manifest
 WHERE object RLIKE '^(function|procedure|view) ' AND substring_index(object, ' ', -1) IN ('@names@')
//
INSERT INTO snoflax._manifest (object, definition, server)
SELECT d.object, d.definition, version() FROM (@definitions@) d
 WHERE d.name IN ('@names@') AND (d.object RLIKE '^(function|procedure|view) '
   OR NOT EXISTS (SELECT 1 FROM snoflax._manifest m WHERE m.object = concat('table ', d.name)))
