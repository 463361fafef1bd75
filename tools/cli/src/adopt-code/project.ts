import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { UsageError } from '../exit.js'
import { adoptDrizzle } from './drizzle/adopt.js'
import { schemasOf } from './files.js'
import type { Findings } from './findings.js'
import { leaveKysely } from './kysely.js'
import { passedToPrisma } from './passed.js'
import { adoptPrisma, type GetDmmf, readPrisma, type Schema } from './prisma.js'
import { listRefusals } from './refusals.js'
import { Sources } from './sources.js'
import { adoptTypeorm } from './typeorm/adopt.js'

/** Where documents of OpenAPI have their patterns. */
const DOCUMENT = /\.(?:json|ya?ml)$/
/** Files of TypeScript that may have something to read. */
const READ =
  /drizzle|typeorm|prisma|kysely|snoflax|cuid|nanoid|uuid|ulid|betterAuth|z\.string|\.(?:insert|create|save)\(|\{\d+\}|pattern\s*:/i

const ORMS = {
  drizzle: '@snoflax/drizzle',
  kysely: '@snoflax/kysely',
  prisma: '@snoflax/prisma-extension',
  typeorm: '@snoflax/typeorm',
}

/** The files of an application, as its own parsers read them. */
export class Project {
  readonly #schemas: readonly Schema[]
  readonly #sources: Sources | undefined
  readonly #documents: ReadonlyMap<string, string>
  readonly #getDmmf: GetDmmf

  /** @throws {UsageError} if a parser is missing, or refuses a schema */
  constructor(texts: ReadonlyMap<string, string>) {
    const groups = schemasOf(texts)
    const [first] = groups.flatMap((group) => [...group.keys()])
    this.#getDmmf = first
      ? load<{ getDMMF: GetDmmf }>(
          '@prisma/get-dmmf',
          first,
          'getDMMF',
          'version 7.7 or newer, whatever your Prisma is',
        ).getDMMF
      : () => ({})
    this.#schemas = groups.map((group) => refusing(group, () => readPrisma(group, this.#getDmmf)))
    const isCode = (file: string): boolean => !file.endsWith('.prisma') && !DOCUMENT.test(file)
    const code = new Map([...texts].filter(([file, text]) => isCode(file) && READ.test(text)))
    const [source] = code.keys()
    this.#sources = source
      ? new Sources(
          load<typeof import('typescript')>(
            'typescript',
            source,
            'createSourceFile',
            'version 5 or 6, since 7 has no parser for other programs',
          ),
          code,
        )
      : undefined
    this.#documents = new Map(
      [...texts].filter(([file, text]) => DOCUMENT.test(file) && /openapi|swagger/.test(text)),
    )
  }

  /** Whether there is anything to adopt. @throws {UsageError} if Prisma would read more changes than those of keys. */
  adopt(findings: Findings): boolean {
    const sources = this.#sources
    for (const schema of this.#schemas) {
      const passed = sources ? passedToPrisma(sources, schema.models) : new Map()
      refusing(schema.texts, () => adoptPrisma(schema, this.#getDmmf, findings, passed))
    }
    const orms = new Set<string>(this.#schemas.length > 0 ? [ORMS.prisma] : [])
    if (sources) {
      if (adoptDrizzle(sources, findings)) orms.add(ORMS.drizzle)
      if (adoptTypeorm(sources, findings)) orms.add(ORMS.typeorm)
      if (this.#schemas.length > 0) leaveClients(sources, findings)
      if (leaveKysely(sources, findings)) orms.add(ORMS.kysely)
    }
    listRefusals(sources, this.#documents, findings)
    if (findings.edits.size > 0 || orms.has(ORMS.kysely)) tellInstall(orms, findings)
    return orms.size > 0
  }
}

/** What to install is the first thing to do. */
function tellInstall(orms: ReadonlySet<string>, { next }: Findings): void {
  const later = [...next]
  next.clear()
  next.add(`npm install ${[...orms, '@snoflax/core'].join(' ')}`)
  for (const one of later) next.add(one)
}

/** Clients that a person has to extend. */
function leaveClients(sources: Sources, findings: Findings): void {
  const { ts } = sources
  for (const source of sources.all)
    sources.walk(source.node, (one) => {
      if (!ts.isNewExpression(one) || source.node.text.includes('snoflax')) return
      if (one.expression.getText() !== 'PrismaClient') return
      const text = 'add .$extends(snoflax()), from the module that prisma generate writes'
      findings.leave(sources.placeOf(source, one, 'new PrismaClient(…)'), text)
    })
}

function refusing<Result>(schema: ReadonlyMap<string, string>, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`${[...schema.keys()][0]}: ${(error as Error).message}`)
  }
}

/** A parser: the project's own, else the one beside this command. @throws {UsageError} */
function load<Module>(name: string, file: string, needed: keyof Module, which: string): Module {
  for (const from of [resolve(file), import.meta.url]) {
    try {
      const found = createRequire(from)(name) as Module
      if (typeof found[needed] === 'function') return found
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new UsageError(
    `${file} is read by ${name}, which is not installed; install it: npm install --save-dev ${name} (${which})`,
  )
}
