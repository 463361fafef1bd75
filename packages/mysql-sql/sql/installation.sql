CREATE TABLE IF NOT EXISTS snoflax._installation (
  one bool NOT NULL PRIMARY KEY DEFAULT true CHECK (one = true),
  version varchar(64) COMMENT 'What was installed last, or is being replaced.',
  complete bool NOT NULL DEFAULT false COMMENT 'False while an installation runs, and after one that failed.',
  owns_schema bool NOT NULL DEFAULT false COMMENT 'Whether the database was made by the installation.'
) ENGINE = InnoDB
//
INSERT IGNORE INTO snoflax._installation (one) VALUES (true)
