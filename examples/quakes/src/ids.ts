import { flake, flax, type IdFamily, prefixed, sno, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { Quake } from './data.js'
import { lowestOf, magnitudeClass } from './magnitude.js'

/** A family, and how it generates the id of a quake. */
export interface QuakeIds {
  readonly family: IdFamily
  /** The id of the next quake, in order of time. */
  make(quake: Quake): string
  /** The meanings of the id's fields here, by name. */
  readonly meanings: Readonly<Record<string, (value: number) => string>>
  /** The lowest possible magnitude of the quake with this id, if ids contain it. */
  lowestMagnitude?(id: string): number
}

/** A flax with a prefix that names its table; columns store it without the prefix. */
const earthquakeId = prefixed(flax, 'eq')

/** Every family with fresh generators. Each seismic network plays the machine that generates the ids of its quakes. */
export function quakeIds(quakes: readonly Quake[]): QuakeIds[] {
  const networks = [...new Set(quakes.map(({ network }) => network))]
  const isNetwork = (number: number): string => `network ${networks[number]}`

  // The generators' clock shows the time of the quake.
  let nowMs = 0
  const clock = (): number => nowMs
  const generateAt = ({ timeMs }: Quake, generator: { generate(): string }): string => {
    nowMs = timeMs
    return generator.generate()
  }

  const snoOf = perNetwork((network) => sno.generator({ partition: networks.indexOf(network) }))
  const flakeOf = perNetwork((network) => flake.generator({ worker: networks.indexOf(network), clock }))
  const uidOf = perNetwork((node) => uid.generator({ node, clock }))
  // Local ids of two generators could be the same.
  const onlyUidLocal = uidLocal.generator({ clock })

  return [
    {
      family: flax,
      make: ({ timeMs }) => flax.generateAt(timeMs),
      meanings: {},
    },
    {
      family: sno,
      make: ({ network, timeMs, magnitude }) => snoOf(network).generateAt(timeMs, magnitudeClass(magnitude)),
      meanings: {
        meta: (meta) => `magnitude ${lowestOf(meta)} to ${lowestOf(meta + 1)}`,
        partition: isNetwork,
      },
      lowestMagnitude: (id) => lowestOf(sno.meta(sno.parse(id))),
    },
    {
      family: flake,
      make: (quake) => generateAt(quake, flakeOf(quake.network)),
      meanings: { worker: isNetwork },
    },
    {
      family: uid,
      make: (quake) => generateAt(quake, uidOf(quake.network)),
      meanings: { node: (node) => `network ${networks.find((name) => uid.fingerprint(name) === node)}` },
    },
    {
      family: uidLocal,
      make: (quake) => generateAt(quake, onlyUidLocal),
      meanings: {},
    },
    {
      family: uuid7,
      make: ({ timeMs }) => uuid7.generateAt(timeMs),
      meanings: {},
    },
    {
      family: earthquakeId,
      make: ({ timeMs }) => earthquakeId.generateAt(timeMs),
      meanings: {},
    },
  ]
}

function perNetwork<Generator>(create: (network: string) => Generator): (network: string) => Generator {
  const generators = new Map<string, Generator>()
  return (network) => {
    const generator = generators.get(network) ?? create(network)
    generators.set(network, generator)
    return generator
  }
}
