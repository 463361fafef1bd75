import type { IdFamily, IdGenerator, IdOf } from '../family.js'

type PrefixedMethod<Args extends readonly unknown[], Result, From, To extends string> = Result extends From
  ? <Of extends string = string>(...args: Args) => IdOf<To, Of>
  : Result extends readonly From[]
    ? <Of extends string = string>(...args: Args) => IdOf<To, Of>[]
    : Result extends Promise<From>
      ? <Of extends string = string>(...args: Args) => Promise<IdOf<To, Of>>
      : (...args: Args) => PrefixedValue<Result, From, To>

type PrefixedValue<Value, From, To extends string> =
  Value extends IdGenerator<infer _> ? PrefixedGenerator<Value, From, To> : Value

/** The members of a generator or a family, with results of another id type. */
export type PrefixedMembers<Members, From, To extends string> = {
  readonly [Name in keyof Members]: Members[Name] extends (...args: infer Args) => infer Result
    ? PrefixedMethod<Args, Result, From, To>
    : PrefixedValue<Members[Name], From, To>
}

/** A generator whose ids have a prefix; its other members are those of the base's generator. */
export type PrefixedGenerator<Generator, From, To extends string> = IdGenerator<To> &
  PrefixedMembers<Omit<Generator, keyof IdGenerator<To> & 'family'>, From, To>

/** The methods that return ids. A generator has some of them. */
const METHODS = ['generate', 'generateAt', 'generateAsync', 'batch'] as const

type Generated = string | readonly string[] | Promise<string>
type Generate = (...args: unknown[]) => Generated

/** The generator with `head` before each id. Other members, such as `snapshot`, are unchanged. */
export const prefixGenerator = <AnId extends string>(
  head: string,
  family: IdFamily<AnId>,
  generator: IdGenerator<string>,
): IdGenerator<AnId> =>
  Object.create(
    generator,
    Object.getOwnPropertyDescriptors({ family, ...prefixMethods(head, generator) }),
  ) as IdGenerator<AnId>

/** The methods of a generator or a family that return ids, with `head` before each id. */
export function prefixMethods(
  head: string,
  source: object,
): Partial<Record<(typeof METHODS)[number], Generate>> {
  const theirs = source as Readonly<Record<string, Generate | undefined>>
  return Object.fromEntries(
    METHODS.filter((name) => typeof theirs[name] === 'function').map((name) => [
      name,
      (...args: unknown[]) => prefixGenerated(head, (theirs[name] as Generate)(...args)),
    ]),
  )
}

function prefixGenerated(head: string, generated: Generated): Generated {
  if (typeof generated === 'string') return head + generated
  return Array.isArray(generated)
    ? generated.map((id) => head + id)
    : (generated as Promise<string>).then((id) => head + id)
}
