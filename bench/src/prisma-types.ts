import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The cost of ids for the compiler: a client of 60 models with ids and our extension, compared with one with text keys
// and an extension that does nothing. Run it with `npm run bench:types`.

const require = createRequire(import.meta.url)
const MODELS = 60
const AIM = 1.15

const GENERATED = fileURLToPath(new URL('./prisma-types/', import.meta.url))
const packageFile = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path)

const ids = (of: (comment: string) => string): string =>
  Array.from({ length: MODELS }, (_, i) => {
    const parent =
      i === 0
        ? ''
        : `  parentId String @db.Uuid\n  parent Model${i - 1} @relation(fields: [parentId], references: [id])\n`
    const children = i === MODELS - 1 ? '' : `  children Model${i + 1}[]\n`
    return `model Model${i} {
  id String @id @default(${of('') ? 'dbgenerated()' : 'uuid()'}) @db.Uuid ${of(i % 2 ? 'sno' : 'flax')}
  name String
  total Int
  data Json?
  at DateTime
${parent}${children}}
`
  }).join('')

/** Typical calls of an application, for each model. */
const calls = (extension: string, make: string): string => `import { PrismaClient } from './client/client.js'
${extension}
export async function all() {
${Array.from(
  { length: MODELS },
  (
    _,
    i,
  ) => `  const row${i} = await prisma.model${i}.findFirstOrThrow({ include: { ${i === MODELS - 1 ? 'parent' : 'children'}: true } })
  await prisma.model${i}.findMany({ where: { id: { in: [row${i}.id] }, name: { contains: 'a' } }, orderBy: { id: 'asc' } })
  await prisma.model${i}.update({ where: { id: row${i}.id }, data: { total: { increment: 1 } } })
  await prisma.model${i}.create({ data: { name: '', total: ${i}, at: new Date()${i === 0 ? '' : `, parentId: row${i - 1}.id`} } })`,
).join('\n')}
  return [${make}]
}
`

function project(name: string, isOurs: boolean): string {
  const folder = join(GENERATED, name)
  mkdirSync(folder, { recursive: true })
  const generator = isOurs
    ? `generator snoflax {\n  provider = "node ${packageFile('@snoflax/prisma-extension', 'bin/snoflax-prisma-generator.js')}"\n  output = "./snoflax"\n}\n`
    : ''
  writeFileSync(join(folder, 'prisma.config.ts'), 'export default {}\n')
  writeFileSync(
    join(folder, 'schema.prisma'),
    `generator client {\n  provider = "prisma-client"\n  output = "./client"\n}\n${generator}datasource db {\n  provider = "postgresql"\n}\n${ids((family) => (isOurs ? `/// @snoflax ${family}` : ''))}`,
  )
  execFileSync(
    process.execPath,
    [packageFile('prisma', 'build/index.js'), 'generate', '--schema', 'schema.prisma'],
    {
      cwd: folder,
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const empty =
    'declare const bare: PrismaClient\nconst prisma = bare.$extends({ query: { $allModels: { $allOperations: ({ args, query }) => query(args) } } })'
  const ours =
    "import { snoflax } from './snoflax/index.js'\ndeclare const bare: PrismaClient\nconst prisma = bare.$extends(snoflax())"
  writeFileSync(join(folder, 'calls.ts'), calls(isOurs ? ours : empty, 'row0'))
  return join(folder, 'calls.ts')
}

const numberOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(text)?.[1])

/** Runs the compiler in a separate process, since it caches. */
function check(file: string): {
  readonly instantiations: number
  readonly seconds: number
  readonly types: number
} {
  const flags =
    '--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node --extendedDiagnostics'
  const text = execFileSync(
    process.execPath,
    [packageFile('typescript', 'bin/tsc'), ...flags.split(' '), file],
    {
      encoding: 'utf8',
    },
  )
  return {
    instantiations: numberOf(text, 'Instantiations'),
    types: numberOf(text, 'Types'),
    seconds: numberOf(text, 'Check time'),
  }
}

const files = { ours: project('ours', true), empty: project('empty', false) }
const seconds = { ours: [] as number[], empty: [] as number[] }
let found = { ours: check(files.ours), empty: check(files.empty) }
for (let round = 0; round < 3; round++) {
  found = { ours: check(files.ours), empty: check(files.empty) }
  seconds.ours.push(found.ours.seconds)
  seconds.empty.push(found.empty.seconds)
}
const least = (list: readonly number[]): number => Math.min(...list)
const ratios = {
  instantiations: found.ours.instantiations / found.empty.instantiations,
  types: found.ours.types / found.empty.types,
  'check time': least(seconds.ours) / least(seconds.empty),
}
console.log(`Prisma, ${MODELS} models: ids and our extension, of text keys and an empty extension`)
for (const [name, ratio] of Object.entries(ratios)) {
  console.log(`  ${name}: ${ratio.toFixed(2)} (aim ${AIM}: ${ratio <= AIM ? 'met' : 'MISSED'})`)
}
