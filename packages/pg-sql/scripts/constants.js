// Writes the facts of the layouts into the SQL files: each stands before a comment that names it, 12/*flax.bytes*/.
// With --check nothing is written, and a difference fails. A name that only one side knows always fails.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { layoutConstants } from './layout-constants.js'

const FOLDER = new URL('../sql/', import.meta.url)
const MARKED = /(?<![\w.])('[^']*'|-?\d+)\/\*([\w.]+)\*\//g

const check = process.argv.includes('--check')
const constants = layoutConstants()
const unused = new Set(Object.keys(constants))
/** @type {string[]} */
const faults = []

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))) {
  const url = new URL(file, FOLDER)
  const sql = readFileSync(url, 'utf8')
  const written = sql.replace(MARKED, (marked, old, name, at) => {
    const value = constants[name]
    const place = `${file}:${sql.slice(0, at).split('\n').length}`
    if (value === undefined) {
      faults.push(`${place}: core knows no ${name}`)
      return marked
    }
    unused.delete(name)
    const literal = typeof value === 'string' ? `'${value}'` : String(value)
    if (check && literal !== old) faults.push(`${place}: ${name} is ${literal} in core, and ${old} here`)
    return `${literal}/*${name}*/`
  })
  if (!check && written !== sql) writeFileSync(url, written)
}
for (const name of unused) faults.push(`no SQL file uses ${name}`)

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
