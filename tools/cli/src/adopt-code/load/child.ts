import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileWith } from './compile.js'
import { drizzleFacts } from './drizzle.js'
import type { Request } from './facts.js'
import { recordGenerators } from './generators.js'
import { mikroOrmFacts } from './mikro-orm.js'
import { typeormFacts } from './typeorm.js'

/** The file descriptor of the answer, so that an application may print what it likes. */
export const ANSWER = 3

const FACTS = { drizzle: drizzleFacts, typeorm: typeormFacts, mikroOrm: mikroOrmFacts }

/** Loads an application in this process, writes what its ORM knows of it, and ends the process. */
export async function answerFacts(input: AsyncIterable<string | Uint8Array>): Promise<never> {
  let text = ''
  for await (const chunk of input) text += String(chunk)
  const { orm, files, typescript, texts }: Request = JSON.parse(text)
  compileWith(createRequire(import.meta.url)(typescript), new Map(texts))
  recordGenerators()
  // What an application does later, such as connecting, is not waited for.
  process.on('unhandledRejection', () => {})
  const facts = await FACTS[orm](files)
  const bytes = Buffer.from(JSON.stringify(facts))
  for (let at = 0; at < bytes.length; ) at += writeSync(ANSWER, bytes, at)
  process.exit(0)
}
