import { flake, flax, sno } from '@snoflax/core'
import { type IdField, idExtension, keyset, storedIds } from '@snoflax/prisma-extension'
import { type Mistakes, WRONG } from '@snoflax/test/contract'

const configured = (id: Partial<IdField>, generators: object = {}) =>
  idExtension(
    { database: 'sqlite', models: { Order: { id: { family: flax, storage: 'binary', ...id } } } },
    { generators: generators as never },
  )

const generated = (id: Partial<IdField>, generators?: object) =>
  configured({ generated: true, ...id }, generators)

const parameter = (id: string) =>
  storedIds({
    database: 'sqlite',
    models: { Order: { id: { family: flax, storage: 'binary' } } },
  }).parameter('Order.id', id)

export default {
  'no generator': () => generated({ family: flake }),
  'no such generator': () => generated({}, { flax: WRONG.notAGenerator }),
  'generator of another family': () => generated({}, { flax: WRONG.ofAnotherFamily }),
  'generator of another epoch': () =>
    generated({ family: WRONG.laterFlake }, { flake: WRONG.ofAnotherEpoch }),
  'generator that is undefined': () => generated({ family: sno }, { sno: undefined }),
  'generator for no family': () => generated({}, { snow: sno }),
  'meta where ids carry none': () => generated({ meta: 3 }),
  'meta above 255': () => generated({ family: sno, meta: 256 }),
  'order in upper case': () => keyset({ order: 'DESC' as 'desc', take: 1 }),
  'page of no rows': () => keyset({ take: 0 }),
  'storage that the database lacks': () => configured({ storage: 'uuid' }),
  'column of ids that are checked by time': () => configured({ family: WRONG.ofOneRoute }),
  'malformed id': () => parameter(WRONG.malformedId),
  'id of another type': () => parameter(WRONG.idOfAnotherType),
} satisfies Mistakes
