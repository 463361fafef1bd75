import 'fast-text-encoding'
import { flax, IdError } from '@snoflax/core'
import initSqlJs from 'sql.js/dist/sql-asm.js'

async function main() {
  let advice
  try {
    flax.generate()
  } catch (error) {
    advice = error.message
  }
  if (!/import react-native-get-random-values/.test(advice)) throw new Error(`told ${advice}`)
  require('./native')

  const { Database } = await initSqlJs()
  const database = new Database()
  database.run('CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)')
  const id = flax.generate()
  database.run('INSERT INTO orders VALUES (?, ?)', [flax.decode(id), 'tea'])
  const from = flax.decode(flax.lowerBound(Date.now() - 60_000))
  const [{ values }] = database.exec('SELECT id FROM orders WHERE id >= ? AND length(id) = 12', [from])
  if (flax.encode(values[0][0]) !== id) throw new Error(`found ${values[0][0]}`)
  try {
    flax.parse('tea')
  } catch (error) {
    if (error instanceof IdError) print(`stored, found and refused an id like ${id}`)
  }
}

main().catch((error) => print(error.stack))
