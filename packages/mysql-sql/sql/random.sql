-- The generators of a family whose ids are a moment and random bits: see scripts/families.js.

CREATE FUNCTION snoflax.{name}_generate() RETURNS binary({bytes})
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new {name}, in {bytes} bytes.'
RETURN snoflax.{name}_generate_at(utc_timestamp(3))
//
CREATE FUNCTION snoflax.{name}_generate_at(at datetime(6)) RETURNS binary({bytes})
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
COMMENT 'A new {name} of another moment of UTC, whose fraction of a millisecond is cut off.'
BEGIN
  DECLARE floored datetime(6) DEFAULT at - INTERVAL microsecond(at) MOD 1000 MICROSECOND;
  CALL snoflax._check_replication('{name}_generate');
  IF snoflax._ms('{name}_generate_at', floored) < {first ms} THEN
    CALL snoflax._refuse('{name}_generate_at', CAST(at AS char), 'is before the first time of {a}');
  END IF;
  RETURN concat(left(snoflax.{name}_lower_bound(floored), {time bytes}), {tail});
END
