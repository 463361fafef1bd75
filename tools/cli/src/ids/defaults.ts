const GENERATED = /\b([a-z][a-z_0-9]*)_generate(?:_at)?(?:_(uuid8|uuid|text|bigint))?"?\(/
/** The prefix that a default puts before the text that it generates. */
const PREFIXING =
  /_encode"?\(.*, '([a-z](?:[a-z0-9_]*[a-z0-9])?)'(?:::text)?\)|^\(?'([a-z](?:[a-z0-9_]*[a-z0-9])?)_'(?:::text)? *\|\|/

/** The prefix that a default adds to the ids that it generates. */
export function prefixedBy(defaultSql: string | undefined): string | undefined {
  const [, encoded, joined] = PREFIXING.exec(defaultSql ?? '') ?? []
  return encoded ?? joined
}

/** Family and storage, by their SQL names, of the ids that a default generates, also by PostgreSQL 18's own function. */
export const generatedBy = (defaultSql: string | undefined): (string | undefined)[] | undefined =>
  /\buuidv7\(/.test(defaultSql ?? '') ? ['uuid7', undefined] : GENERATED.exec(defaultSql ?? '')?.slice(1)
