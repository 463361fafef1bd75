import type { Reference } from './foreign-keys.js'
import type { FoundFields } from './id-fields.js'
import type { Mistakes } from './mistakes.js'
import { refuse } from './refuse.js'
import { nameOf } from './schema.js'

/** What no field shows by itself: collects where fields that hold ids don't go together. */
export function checkAgreement(
  found: FoundFields,
  targets: ReadonlyMap<string, readonly Reference[]>,
  mistakes: Mistakes,
): void {
  for (const name of found.keys()) {
    mistakes.collect(name, () => refuseOtherTargets(found, targets.get(name) ?? []))
  }
  checkNames(found, mistakes)
}

function refuseOtherTargets(found: FoundFields, targets: readonly Reference[]): void {
  const other = targets.map(({ model, field }) => nameOf(model, field)).find((name) => !found.has(name))
  if (other) refuse(`is a foreign key to ${other}, which holds no ids: its comment belongs there`, other)
}

/** Generators are given by the names of families. */
function checkNames(found: FoundFields, mistakes: Mistakes): void {
  const names = new Map<string, string>()
  for (const [field, { found: it, generated }] of found) {
    if (!generated) continue
    const { name } = it.family
    const first = names.get(name) ?? it.name
    mistakes.collect(field, () => refuseSecond(first, it.name, name))
    names.set(name, first)
  }
}

function refuseSecond(first: string, second: string, name: string): void {
  if (first === second) return
  refuse(
    `${first} and ${second} are both called ${name}, by which generators are given; ` +
      'give one of them a name of its own with defineFamily',
    second,
  )
}
