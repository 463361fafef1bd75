/** The affinity of a declared type, by SQLite's rules in their order; `blob` is that of no type too. */
export function affinityOf(declared: string): 'integer' | 'text' | 'blob' | 'real' | 'numeric' {
  const type = declared.toUpperCase()
  if (type.includes('INT')) return 'integer'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text'
  if (type === '' || type.includes('BLOB')) return 'blob'
  if (/REAL|FLOA|DOUB/.test(type)) return 'real'
  return 'numeric'
}
