import { registerSnoflax } from '@snoflax/better-sqlite3'
import { flax, type IdFamily, sno } from '@snoflax/core'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import Database from 'better-sqlite3'

const registered = (generators: object = {}, families?: readonly IdFamily[]) =>
  registerSnoflax(new Database(':memory:'), {
    generators: generators as never,
    ...(families && { families }),
  })

const answerOf = (sql: string) => registered().prepare(sql).pluck().get()

const mistakes: Mistakes = {
  'no generator': () => answerOf('SELECT flake_generate()'),
  'no such generator': () => registered({ flax: WRONG.notAGenerator }),
  'generator of another family': () => registered({ flax: WRONG.ofAnotherFamily }),
  'generator of another epoch': () => registered({ flake: WRONG.ofAnotherEpoch }, [WRONG.laterFlake]),
  'generator that is undefined': () => registered({ sno: undefined }),
  'generator for no family': () => registered({ snow: sno }, [flax, sno]),
  'meta above 255': () => answerOf('SELECT sno_generate(256)'),
  'malformed id': () => answerOf(`SELECT flax_time('${WRONG.malformedId}')`),
}

export default mistakes
