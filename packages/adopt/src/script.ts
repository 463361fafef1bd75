/** A part of what an adoption runs, to be read: a heading, and statements or remarks. */
export const section = (title: string, statements: readonly string[]): string =>
  [`-- ${title}`, ...statements.map((one) => (one.startsWith('--') ? one : `${one};`)), ''].join('\n')
