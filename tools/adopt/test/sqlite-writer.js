// A process that writes orders all the time, and prints the tag of each transaction that it committed. Arguments: the file
// of the database, and the writer's number.
import Database from 'better-sqlite3'

const [, , file, number] = process.argv
const database = new Database(file, { timeout: 60_000 })
database.pragma('foreign_keys = ON')
const idle = new Int32Array(new SharedArrayBuffer(4))

function order(tag, n) {
  const insert = (sql, ...values) => database.prepare(sql).run(...values).lastInsertRowid
  const customer = insert('INSERT INTO customers (tag) VALUES (?)', tag)
  const own = insert('INSERT INTO orders (tag, customer_id) VALUES (?, ?)', tag, customer)
  insert(
    'INSERT INTO order_lines (tag, order_id, product_id) VALUES (?, ?, ?), (?, ?, NULL)',
    ...[tag, own, 1 + (n % 3), tag, own],
  )
  insert('UPDATE products SET tag = tag WHERE id = ?', 1 + (n % 3))
}

const write = database.transaction(order).immediate
for (let n = 0; ; n++) {
  const tag = `w${number}-${n}`
  try {
    write(tag, n)
  } catch (error) {
    if (error.code === 'SQLITE_BUSY') continue
    // The keys are switched: a row without an id is refused.
    process.stdout.write(`! ${error.message}\n`)
    break
  }
  process.stdout.write(`${tag}\n`)
  Atomics.wait(idle, 0, 0, 20)
}
