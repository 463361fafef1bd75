import { relative } from 'node:path'
import type { Orm } from './load/facts.js'

/** The modules of an application that declare its tables, by ORM. */
export interface Inputs extends Readonly<Record<Orm, readonly string[]>> {
  /** What is no module to read alone, and what to pass with it. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[]
}

const TESTS =
  /(?:^|[\\/])(?:__tests__|__mocks__|tests?|e2e|spec|fixtures)[\\/]|[.-](?:test|spec)\.[cm]?[jt]sx?$/

const drizzle = (text: string): boolean =>
  /['"]drizzle-orm\/(?:pg|mysql|sqlite)-core['"]/.test(text) &&
  [...text.matchAll(/\b(\w+)\s*\(\s*['"`]/g)].some(([, name = '']) => /Table|^table$/.test(name))

const isMikroOrm = (text: string): boolean => /['"]@mikro-orm\//.test(text)

const mikroOrm = (text: string): boolean =>
  isMikroOrm(text) &&
  (/\bdefineConfig\s*\(/.test(text) ||
    (/\bexport default\b/.test(text) && /\bentities(?:Ts)?\s*[:,]/.test(text)))

const mikroOrmInit = (text: string): boolean =>
  isMikroOrm(text) && /\bMikroORM\.init\s*\(|\bnew\s+MikroORM\b/.test(text)

const typeorm = (text: string): boolean => /['"]typeorm['"]/.test(text) && /new\s+DataSource\s*\(/.test(text)

/** What the files declare. A file that was named is loaded, whatever it is called. */
export function inputsOf(paths: readonly string[], texts: ReadonlyMap<string, string>): Inputs {
  // Folders above those that were named say nothing of a file.
  const below = (file: string): string =>
    paths.map((path) => relative(path, file)).find((one) => !one.startsWith('..')) ?? file
  const code = [...texts].filter(([file]) => !TESTS.test(below(file)))
  const matching = (test: (text: string) => boolean) =>
    code.flatMap(([file, text]) => (test(text) ? file : []))
  const sources = matching(typeorm)
  const ofKysely = matching((text) => /['"][@\w/-]*\bkysely['"]/.test(text))
  const having = (test: RegExp) => ofKysely.filter((file) => test.test(texts.get(file) as string))
  const clients = having(/\b(?:new|extends)\s+Kysely\b/)
  const [user] = having(/\b(?:create)?Kysely</)
  const configurations = matching(mikroOrm)
  const orms = configurations.length > 0 ? configurations : matching(mikroOrmInit)
  const [schema] = matching((text) => isMikroOrm(text) && /@Entity\s*\(|\bdefineEntity\s*\(/.test(text))
  const [entity] = matching((text) => /['"]typeorm['"]/.test(text) && /@Entity\s*\(/.test(text))
  return {
    drizzle: matching(drizzle),
    typeorm: sources,
    mikroOrm: orms,
    prisma: code.flatMap(([file]) => (file.endsWith('.prisma') ? file : [])),
    kysely: clients.length > 0 ? [...new Set([...clients, ...ofKysely])] : [],
    unread: [
      ...without(
        clients,
        user,
        'a Kysely that is created elsewhere: pass the module, too, that has new Kysely<…>(…)',
      ),
      ...without(
        orms,
        schema,
        'entities of MikroORM without a configuration: pass a module, too, that exports one of them; it is not connected',
      ),
      ...without(
        sources,
        entity,
        'entities of TypeORM without a DataSource: pass a module, too, that exports a DataSource of them; it is not connected',
      ),
    ],
  }
}

/** A file that is of no use without modules that are not there. */
const without = (modules: readonly string[], file: string | undefined, reason: string): Inputs['unread'] =>
  file !== undefined && modules.length === 0 ? [{ file, reason }] : []
