/** SQLSTATE of each error code, as spec/README.md has it. */
export const SQLSTATES: Readonly<Record<string, string>> = {
  INVALID_LENGTH: '22P02',
  INVALID_CHARACTER: '22P02',
  NOT_CANONICAL: '22P02',
  WRONG_PREFIX: '22P02',
  FIELD_OUT_OF_RANGE: '22003',
  TIME_OUT_OF_RANGE: '22008',
  INVALID_TIME: '22008',
  INVALID_OPTION: '22023',
  STORAGE_REFUSED: '22023',
  NODE_MISMATCH: '22023',
  CLOCK_MOVED_BACK: '55000',
  SEQUENCE_EXHAUSTED: '55000',
  GENERATOR_REQUIRED: '55000',
}

export function sqlState(code: string): string {
  const state = SQLSTATES[code]
  if (!state) throw new Error(`no SQLSTATE for ${code}`)
  return state
}
