const CODES = ['42P01', '42703', '42883']

/** Whether a query failed because a table, column or function that it names is not there. */
export const isUndefinedObject = (error: unknown): error is Error =>
  CODES.includes(String((error as { code?: unknown }).code))
