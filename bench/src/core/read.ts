import { randomUUID } from 'node:crypto'
import { DiscordSnowflake } from '@sapphire/snowflake'
import { flake, flax, prefixed, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { decodeTime, isValid, ulid } from 'ulid'
import { validate } from 'uuid'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { pick, received, sampleIds, samples } from './samples.js'

const snos = sampleIds(sno)
const flaxes = sampleIds(flax)
const flakes = sampleIds(flake)
const uids = sampleIds(uid)
const localUids = sampleIds(uidLocal)
const customer = prefixed(flax, 'cus')
const customers = received(sampleIds(customer))
const order = prefixed(sno, 'ord')
const orders = received(sampleIds(order))
const ulids = received(samples(() => ulid()))
const uuids = received(samples(() => randomUUID()))
const snowflakes = samples(() => DiscordSnowflake.generate().toString())

export const time: Section<void> = {
  name: 'time',
  run: () => ({
    title: 'The time of an id',
    about: 'A Date or a number, depending on the library.',
    ...compareAll(
      {
        'sno.time': (i) => sno.time(pick(snos, i)).getTime(),
        'flax.time': (i) => flax.time(pick(flaxes, i)).getTime(),
        'flake.time': (i) => flake.time(pick(flakes, i)).getTime(),
        'uid.time': (i) => uid.time(pick(uids, i)).getTime(),
        'uidLocal.time': (i) => uidLocal.time(pick(localUids, i)).getTime(),
        'ulid decodeTime': (i) => decodeTime(pick(ulids, i)),
        '@sapphire/snowflake': (i) => DiscordSnowflake.timestampFrom(pick(snowflakes, i)),
      },
      ['ulid decodeTime'],
    ),
  }),
}

/** Words, ids with a wrong character at their end, ids of another length, of another family. */
const foreign = received(
  samples((i) => {
    const texts = ['hello', `${flaxes[i]?.slice(0, 15)}!`, `${flaxes[i]}0`, uuids[i], `x${flakes[i]}`, '']
    return String(texts[i % texts.length])
  }),
)

export const check: Section<void> = {
  name: 'check',
  run: () => ({
    title: 'Refusing a foreign text',
    about:
      'Words, other ids, ids with a wrong character or of a wrong length; the yardstick checks valid flaxes.',
    ...compareAll(
      {
        'flax.is of an id': (i) => Number(flax.is(pick(flaxes, i))),
        'sno.is': (i) => Number(sno.is(pick(foreign, i))),
        'flax.is': (i) => Number(flax.is(pick(foreign, i))),
        'flake.is': (i) => Number(flake.is(pick(foreign, i))),
        'uid.is': (i) => Number(uid.is(pick(foreign, i))),
        'uidLocal.is': (i) => Number(uidLocal.is(pick(foreign, i))),
        'uuid validate': (i) => Number(validate(pick(foreign, i))),
        'ulid isValid': (i) => Number(isValid(pick(foreign, i))),
      },
      ['flax.is of an id'],
      { 'flax.is of an id': { 'sno.is': 2, 'flax.is': 2, 'flake.is': 2, 'uid.is': 2, 'uidLocal.is': 2 } },
    ),
  }),
}

export const parse: Section<void> = {
  name: 'parse',
  run: () => ({
    title: 'Checking a text from outside',
    about: 'All texts are valid.',
    ...compareAll(
      {
        'sno.parse': (i) => sno.parse(pick(snos, i)).length,
        'flax.parse': (i) => flax.parse(pick(flaxes, i)).length,
        'flake.parse': (i) => flake.parse(pick(flakes, i)).length,
        'uid.parse': (i) => uid.parse(pick(uids, i)).length,
        'uidLocal.parse': (i) => uidLocal.parse(pick(localUids, i)).length,
        'flax, prefixed': (i) => customer.parse(pick(customers, i)).length,
        'sno, prefixed': (i) => order.parse(pick(orders, i)).length,
        'uuid validate': (i) => Number(validate(pick(uuids, i))),
        'ulid isValid': (i) => Number(isValid(pick(ulids, i))),
      },
      ['uuid validate', 'flax.parse'],
      {
        'uuid validate': { 'sno.parse': 0.5, 'flax.parse': 0.5 },
        'flax.parse': { 'flax, prefixed': 1.3, 'sno, prefixed': 1.3 },
      },
    ),
  }),
}
