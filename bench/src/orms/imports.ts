import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { besidePlainKeys, type Pair } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, type Turn } from '../turns.js'

/** What an application of each ORM imports, and what it imports besides for our columns. */
const APPLICATIONS = {
  Drizzle: [['drizzle-orm', 'drizzle-orm/pg-core'], '@snoflax/drizzle/pg-core'],
  Kysely: [['kysely'], '@snoflax/kysely'],
  TypeORM: [['typeorm'], '@snoflax/typeorm'],
} as const

/** Starts with our package, beside starts without. */
export const imports: Section<unknown> = {
  name: 'imports',
  run: async () => {
    const pairs: Pair[] = []
    for (const [name, [orm, own]] of Object.entries(APPLICATIONS)) {
      const turns = { ours: importing([...orm, '@snoflax/core', own]), plain: importing(orm) }
      pairs.push({ name, aim: 1.1, ...(await raceTurns(turns, { rounds: 40, warmUps: 4 })) })
    }
    return {
      title: 'Importing an ORM with our package',
      about:
        'A new process of Node.js imports the ORM, and with ours `@snoflax/core` and the package of its columns. The time is CPU, from before the imports on.',
      ...besidePlainKeys(pairs, 'the ORM alone'),
    }
  },
}

const importing = (names: readonly string[]): Turn => {
  const program = `const start = process.cpuUsage()
    ${names.map((name) => `await import('${name}')`).join('\n')}
    const { user, system } = process.cpuUsage(start)
    console.log(user + system)`
  return async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
    })
    return Number(stdout) * 1000
  }
}
