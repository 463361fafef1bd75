import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pg from 'pg'

const server = process.env['SNOFLAX_PRISMA8_POSTGRES'] ?? ''
if (server === '') throw new Error('npm run test:prisma8 starts a server and runs this')

async function on<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A database of its own, which the end of the file drops, and what runs statements in it. */
export async function freshDatabase() {
  const name = `snoflax_prisma8_${randomBytes(5).toString('hex')}`
  // As people's databases have it: text that needs the order of bytes has to say so.
  await on(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'`),
  )
  after(() => on(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)))
  const { href } = Object.assign(new URL(server), { pathname: `/${name}` })
  const query = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await on(href, (client) => client.query(sql))).rows
  return { url: href, query }
}
