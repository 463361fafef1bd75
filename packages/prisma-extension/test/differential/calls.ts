import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AnyClient } from '../project/clients.js'
import { schemaForEngine } from '../project/version.js'
import type { Dmmf } from '../shop/argument-paths.js'
import type { Call } from './operations.js'

/** Keys of objects and rows of lists in an order of their own: no query asks for one. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value === 'bigint' || value instanceof Date) return String(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

export const delegate = (prisma: AnyClient, model: string): AnyClient =>
  prisma[model.charAt(0).toLowerCase() + model.slice(1)]

/** Prisma's engine in WebAssembly says so at times, of a call that it answers when asked again. */
const isBorrowed = (error: unknown): boolean => /Rust value while it was borrowed/.test(`${error}`)

export async function outcome(
  work: () => Promise<unknown>,
  tries = 3,
): Promise<{ answer?: unknown; error?: string }> {
  try {
    return { answer: sorted(await work()) }
  } catch (error) {
    if (tries > 0 && isBorrowed(error)) return outcome(work, tries - 1)
    const { code, name } = error as { code?: string; name: string }
    return { error: code ?? name }
  }
}

/** What Prisma tells generators of a project. */
export async function dmmfOf(folder: string): Promise<Dmmf> {
  const { getDMMF } = createRequire(import.meta.url)(
    '@prisma/internals',
  ) as typeof import('@prisma/internals')
  const datamodel = schemaForEngine(readFileSync(join(folder, 'schema/schema.prisma'), 'utf8'))
  return (await getDMMF({ datamodel })) as unknown as Dmmf
}

export function run(prisma: AnyClient, { model, operation, args, chain }: Call): Promise<unknown> {
  const call = delegate(prisma, model)[operation](structuredClone(args))
  return chain.reduce((answer, relation) => answer[relation](), call)
}
