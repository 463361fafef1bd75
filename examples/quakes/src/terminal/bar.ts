const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar for a part of the whole width, exact to an eighth of a character. */
export function bar(part: number, whole: number, width: number): string {
  const eighths = whole > 0 ? Math.round((part / whole) * width * 8) : 0
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}
