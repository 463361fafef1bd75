import { Command } from 'commander'
import { driver } from '../live/address.js'
import type { Io, Terminal } from '../terminal.js'
import { addressOf, examples } from './options.js'

interface Tool {
  readonly description: string
  readonly properties: Readonly<Record<string, { readonly type: 'string'; readonly description: string }>>
  readonly required: readonly string[]
  /** The arguments of the command that answers a call. */
  argv(input: Input): string[]
}

type Input = Readonly<Record<string, string>>

/** Runs the command, as from a shell. */
type Run = (argv: readonly string[], io: Io) => Promise<unknown>

export const mcp = (terminal: Terminal, version: string, run: Run): Command =>
  new Command('mcp')
    .description(
      'answer find, inspect and range to agents over stdio, by the Model Context Protocol; reads only, with the limits of find',
    )
    .argument('[url]', 'of the database for find, as there (default: DATABASE_URL)')
    .addHelpText('after', examples('mcp "$DATABASE_URL"'))
    .action(async (url: string | undefined) => {
      const address = addressOf(terminal, 'a URL or an SQLite file', url)
      await serve(toolsFor(address), version, (argv) => printed(argv, terminal.io, run))
    })

const toolsFor = (address: string): Readonly<Record<string, Tool>> => ({
  find: {
    description:
      'The rows of an id in the database, and what refers to them: kind and time of the id, tables, the first columns of each row. ' +
      '`near` lists ids that exist and are similar, if no row has this one: ask before you take one of them. ' +
      '`unknown` lists what could not be asked.',
    properties: {
      id: { type: 'string', description: 'any kind of id, such as cus_Kpcan0M1FakODT4k or a UUID' },
    },
    required: ['id'],
    argv: ({ id = '' }) => ['find', '--json', '--', id, address],
  },
  inspect: {
    description:
      'What an id says of itself, without a database: its kind, creation time, fields, and forms in columns.',
    properties: { id: { type: 'string', description: 'any kind of id' } },
    required: ['id'],
    argv: ({ id = '' }) => ['inspect', '--json', '--', id],
  },
  range: {
    description:
      'Conditions in SQL for the rows whose ids were generated in a span of time, by their primary key, for each database and storage.',
    properties: {
      family: { type: 'string', description: 'flax (default), sno, flake, uuid7, ulid or typeid' },
      from: {
        type: 'string',
        description: '2026, 2026-11, 2026-11-01, 2026-11-01T12:30:00Z, yesterday or -7d',
      },
      to: { type: 'string', description: 'the end, exclusive; by default that of the year, month or day' },
      prefix: { type: 'string', description: 'of the ids, such as cus' },
      column: { type: 'string', description: 'such as customers.id' },
    },
    required: ['from'],
    argv: ({ family = 'flax', from = '', to, ...options }) => [
      'range',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      '--json',
      '--',
      family,
      from,
      ...(to === undefined ? [] : [to]),
    ],
  },
})

/** Serves until the other side closes. */
async function serve(
  tools: Readonly<Record<string, Tool>>,
  version: string,
  answer: (argv: readonly string[]) => Promise<Answer>,
): Promise<void> {
  const sdk = '@modelcontextprotocol/sdk'
  const { Server } = await driver(() => import('@modelcontextprotocol/sdk/server/index.js'), sdk)
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const server = new Server({ name: 'snoflax', version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { description, properties, required }]) => ({
      name,
      description,
      inputSchema: { type: 'object', properties, required: [...required], additionalProperties: false },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const args = params.arguments ?? {}
    const tool = tools[params.name]
    const refusal = tool ? refusalOf(tool, args) : `there is no tool ${params.name}`
    const { text, isError } =
      tool && refusal === undefined
        ? await answer(tool.argv(args as Input))
        : { text: String(refusal), isError: true }
    return { content: [{ type: 'text', text }], isError }
  })
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
  })
  await server.connect(new StdioServerTransport())
  await closed
  await server.close()
}

interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** What is wrong with the arguments of a call. */
function refusalOf(
  { properties, required }: Tool,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(properties, name))
      return `there is no ${name}; pass ${Object.keys(properties).join(', ')}`
    if (typeof value !== 'string') return `${name} must be a string`
  }
  const missing = required.find((name) => !Object.hasOwn(args, name))
  return missing && `${missing} is missing`
}

/** The document that a command prints, or its complaint. */
async function printed(argv: readonly string[], io: Io, run: Run): Promise<Answer> {
  const texts = { out: '', err: '' }
  const output = (name: 'out' | 'err') => ({
    write(text: string) {
      texts[name] += text
      return true
    },
  })
  await run(argv, { ...io, stdout: output('out'), stderr: output('err') })
  return texts.out === ''
    ? { text: texts.err.trim(), isError: true }
    : { text: texts.out.trim(), isError: false }
}
