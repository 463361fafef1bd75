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

/** The members that return ids. A generator has some of them. */
const MAKERS = ['generate', 'generateAt', 'generateAsync', 'batch'] as const

type Made = string | readonly string[] | Promise<string>
type Maker = (...args: unknown[]) => Made

/** The generator with `head` before each id. Other members, such as `snapshot`, are unchanged. */
export const prefixGenerator = <AnId extends string>(
  head: string,
  family: IdFamily<AnId>,
  generator: IdGenerator<string>,
): IdGenerator<AnId> =>
  Object.create(
    generator,
    Object.getOwnPropertyDescriptors({ family, ...prefixMakers(head, generator) }),
  ) as IdGenerator<AnId>

/** The members of a generator or a family that return ids, with `head` before each id. */
export function prefixMakers(head: string, maker: object): Partial<Record<(typeof MAKERS)[number], Maker>> {
  const theirs = maker as Readonly<Record<string, Maker | undefined>>
  return Object.fromEntries(
    MAKERS.filter((name) => typeof theirs[name] === 'function').map((name) => [
      name,
      (...args: unknown[]) => prefixMade(head, (theirs[name] as Maker)(...args)),
    ]),
  )
}

function prefixMade(head: string, made: Made): Made {
  if (typeof made === 'string') return head + made
  return Array.isArray(made) ? made.map((id) => head + id) : (made as Promise<string>).then((id) => head + id)
}
