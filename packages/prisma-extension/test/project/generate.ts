import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GeneratorOptions } from '@prisma/generator-helper'
import { generator } from '@snoflax/prisma-extension/generator'
import { installed, linkClient, schemaFor, VERSION } from './version.js'

const require = createRequire(import.meta.url)
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Files of a Prisma project, by path; those that end in `.prisma` lie in `schema/`. */
export type ProjectFiles = Readonly<Record<string, string>>

/** The built generator, in a process of its own. */
export const COMMAND = `node ${at('bin/snoflax-prisma-generator.js')}`
/** What stands in a schema as the generator's provider: a name that this process knows. */
export const PROVIDER = VERSION === '' ? generator.name : COMMAND

interface SchemaOptions {
  readonly provider?: string
  readonly client?: string
  /** Lines of the client's generator. */
  readonly clientOptions?: string
  /** Lines of our generator; null if there is none. */
  readonly options?: string | null
  /** Lines of the datasource. */
  readonly datasource?: string
}

/** A project with models, a client and our generator. */
export const projectOf = (
  models: string,
  {
    provider = 'postgresql',
    client = 'prisma-client',
    clientOptions = '',
    options = '',
    datasource = '',
  }: SchemaOptions = {},
) => ({
  'schema/schema.prisma': `
generator client {
  provider = "${client}"
  output   = "../client"
  ${clientOptions}
}
${options === null ? '' : `generator snoflax {\n  provider = "${PROVIDER}"\n  output   = "../snoflax"\n  ${options}\n}`}
datasource db {
  provider = "${provider}"
  ${datasource}
}
${models}`,
})

/**
 * A folder with the files and all that `prisma generate` makes of them, kept between runs of the tests. The same
 * files, and the same generator, have the same folder.
 */
export async function generateProject(files: ProjectFiles): Promise<string> {
  const folder = join(await projectsFolder(), hashOf(files))
  if (existsSync(folder)) return folder
  const made = `${folder}.${randomUUID()}`
  await writeFiles(made, files)
  linkClient(made)
  const failure = await prismaGenerate(made)
  if (failure !== undefined) throw new Error(failure)
  await rename(made, folder).catch(() => rm(made, { recursive: true }))
  return folder
}

/** What `prisma generate` says of files that it refuses. */
export async function refusalOfProject(files: ProjectFiles): Promise<string> {
  const folder = join(await projectsFolder(), randomUUID())
  await writeFiles(folder, files)
  const failure = await prismaGenerate(folder)
  await rm(folder, { recursive: true })
  if (failure === undefined) throw new Error('prisma generate did not fail')
  return failure
}

const PROJECTS = at(`.vitest/projects${VERSION}`)

/** Of the generator as it is now; what earlier ones made is forgotten. */
async function projectsFolder(): Promise<string> {
  linkExtension()
  const current = hashOf(generatorFiles())
  const earlier = existsSync(PROJECTS) ? readdirSync(PROJECTS).filter((name) => name !== current) : []
  await Promise.all(earlier.map((name) => rm(join(PROJECTS, name), { recursive: true, force: true })))
  return join(PROJECTS, current)
}

/** A package finds itself by name, but not from the generated module, which has a package.json of its own. */
function linkExtension(): void {
  const link = at('.vitest/node_modules/@snoflax/prisma-extension')
  if (existsSync(link)) return
  mkdirSync(dirname(link), { recursive: true })
  try {
    symlinkSync(at('.'), link)
  } catch (error) {
    // Another worker was quicker.
    if (!existsSync(link)) throw error
  }
}

const generatorFiles = (): string[] =>
  readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => readFileSync(at(`src/${file}`), 'utf8'))

const hashOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)

async function writeFiles(folder: string, files: ProjectFiles): Promise<void> {
  for (const [name, text] of Object.entries({ ...files, 'prisma.config.ts': 'export default {}\n' })) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, name.endsWith('.prisma') ? schemaFor(text) : text)
  }
}

// Its ES modules are broken, and it takes a while to load.
const prisma = () => ({
  internals: require('@prisma/internals') as typeof import('@prisma/internals'),
  registry:
    require('@prisma/client-generator-registry') as typeof import('@prisma/client-generator-registry'),
})

/** Writes down what Prisma tells generators, for tests that walk through it. */
const dmmfGenerator = {
  name: 'dmmf',
  getManifest: async () => ({ prettyName: 'DMMF', defaultOutput: '../dmmf' }),
  generate: async ({ dmmf, generator: { output } }: GeneratorOptions): Promise<void> => {
    const folder = output?.value as string
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'dmmf.json'), JSON.stringify(dmmf))
  },
}

/** Runs the generators of a project again, or some of them. What Prisma says where it fails. */
export const generateAgain = (folder: string, generators?: string[]): Promise<string | undefined> =>
  prismaGenerate(folder, generators)

/** As the command does, but in this process, where Prisma is loaded once. What it says where it fails. */
async function prismaGenerate(cwd: string, generatorNames?: string[]): Promise<string | undefined> {
  if (VERSION !== '') return runCommand(cwd)
  const {
    internals: { getGenerators, loadSchemaContext },
    registry: { defaultRegistry },
  } = prisma()
  const schemaContext = await loadSchemaContext({
    schemaPath: { cliProvidedPath: join(cwd, 'schema') },
    cwd,
    printLoadMessage: false,
  })
  const generators = await getGenerators({
    schemaContext,
    registry: {
      ...defaultRegistry.toInternal(),
      [generator.name]: { type: 'in-process', generator },
      dmmf: { type: 'in-process', generator: dmmfGenerator },
    },
    cliCommand: 'npx prisma',
    ...(generatorNames && { generatorNames }),
  })
  try {
    for (const generator of generators) await generator.generate()
  } catch (error) {
    return (error as Error).message
  } finally {
    for (const generator of generators) generator.stop()
  }
  return undefined
}

/** The command of an older version. */
function runCommand(cwd: string): Promise<string | undefined> {
  // Generating needs no schema engine; the variable keeps Prisma from fetching one.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
    NO_COLOR: '1',
    CHECKPOINT_DISABLE: '1',
    PRISMA_GENERATE_SKIP_AUTOINSTALL: '1',
  }
  const args = [join(installed('prisma'), 'build/index.js'), 'generate', '--schema', 'schema']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env }, (error, stdout, stderr) => {
      resolve(error ? `${stdout}${stderr}` : undefined)
    })
  })
}
