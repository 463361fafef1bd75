import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { IdError } from '@snoflax/core'
import { generatedId, idColumn } from '@snoflax/prisma-8/pack'
import { Project } from '../project.ts'

const project = new Project(import.meta.dirname, 'postgres://nobody@localhost/none')
const folder = mkdtempSync(join(import.meta.dirname, 'generated-'))
after(() => rmSync(folder, { recursive: true }))

/** What emitting a model with this field says. */
async function emitted(field: string, types = '') {
  const contract = join(folder, 'contract.prisma')
  writeFileSync(contract, `// use prisma-8\n\n${types}\nmodel Order {\n  ${field}\n}\n`)
  const { ok, error } = await project.prismaWith({ CONTRACT: contract, OUTPUT: folder }, 'contract', 'emit')
  return { ok, said: JSON.stringify(error ?? {}), diagnostics: error?.meta?.diagnostics ?? [] }
}

for (const [field, message] of [
  ['id snoflax.Sno() @id @default(flax())', /snoflax_flax.*not applicable to.*Order\.id/],
  ['id Int @id @default(flax())', /snoflax_flax.*not applicable to.*Order\.id/],
  ['id snoflax.Flax() @id @default(uuid(7))', /uuidv7.*not applicable to.*Order\.id/],
  [
    'id snoflax.Sno() @id @default(flaxDb())',
    /Order\.id: @default\(flaxDb\(\)\) is for columns of snoflax\.Flax\(\)/,
  ],
  ['id snoflax.Sno() @id @default(sno(meta: 256))', /Order\.id: sno: .*256/],
  ['id snoflax.Sno() @id @default(sno(partition: 70000))', /Order\.id: sno: .*70000/],
  ['id snoflax.Sno() @id @default(snoDb(meta: 256))', /Order\.id: sno: .*256/],
  ['id snoflax.Flax() @id @default(flax(prefix: "Bad"))', /Order\.id: .*a prefix must/],
  ['id snoflax.Flax() @id @default(flax(meta: 1))', /meta/],
  ['id snoflax.Ulid() @id @default(ulid())', /ulid.*not applicable to.*Order\.id/],
  [
    'id snoflax.Typeid() @id @default(typeid(prefix: "v2"))',
    /Order\.id: typeid: a prefix must have 1 to 63 of a-z/,
  ],
  ['id snoflax.Twitter() @id @default(twitterDb())', /Expected one of: .*twitter\(\)/],
] as const) {
  test(`refused with its path: ${field}`, async () => {
    const { ok, said, diagnostics } = await emitted(field)
    assert.equal(ok, false)
    assert.match(said, message)
    assert.equal(diagnostics[0]?.span?.start.line, 5)
  })
}

for (const [what, owner, message] of [
  [
    'another family',
    'snoflax.Flax()',
    /^Order\.ownerId: stores flax ids, but references Owner\.id with own ids$/,
  ],
  [
    'another storage',
    'snoflax.SnoUuid({ prefix: "own" })',
    /^Order\.ownerId: has storage uuid, but references Owner\.id with storage text$/,
  ],
  ['no id column', 'Uuid', /^Order\.ownerId: references Owner\.id, so it stores ids, too/],
] as const) {
  test(`a foreign key with ${what} is refused with its path`, async () => {
    const { ok, diagnostics } = await emitted(
      `id snoflax.Sno() @id
  ownerId ${owner}
  owner Owner @relation(fields: [ownerId], references: [id])`,
      'model Owner {\n  id snoflax.Sno({ prefix: "own" }) @id\n  orders Order[]\n}\n',
    )
    assert.equal(ok, false)
    const [{ message: said = '', span } = {}] = diagnostics
    assert.match(said, message)
    assert.equal(span?.start.line, 10)
  })
}

for (const [type, made] of [
  ['{ prefix: "cus" }', 'flax()'],
  ['{ prefix: "cus" }', 'flax(prefix: "ord")'],
  ['{ prefix: "cus" }', 'flaxDb()'],
  ['{ prefix: "cus" }', 'flaxDb(prefix: "ord")'],
  ['', 'flaxDb(prefix: "cus")'],
]) {
  test(`another prefix in the default than in the type is refused with its path: ${type} ${made}`, async () => {
    const { ok, diagnostics } = await emitted(`id snoflax.Flax(${type}) @id @default(${made})`)
    assert.equal(ok, false)
    assert.match(diagnostics[0]?.message ?? '', /^Order\.id: flax: type and default of the column differ/)
    assert.equal(diagnostics[0]?.span?.start.line, 5)
  })
}

for (const [field, message] of [
  ['id snoflax.Flax({ prefix: "Not a prefix" }) @id', /a prefix must have 1 to 63 of a-z/],
  ['id snoflax.Flax({ epoch: 5 }) @id', /its epoch is fixed/],
  ['id snoflax.Typeid({ prefix: "v2" }) @id', /a prefix must have 1 to 63 of a-z and _/],
  ['id snoflax.Nope() @id', /Nope/],
] as const) {
  test(`refused: ${field}`, async () => {
    const { ok, said } = await emitted(field)
    assert.equal(ok, false, said)
    assert.match(said, message)
  })
}

test("a contract in TypeScript is the same as the schema's", async () => {
  const contract = join(import.meta.dirname, 'contract.ts')
  const output = join(folder, 'ts')
  const { ok, error } = await project.prismaWith({ CONTRACT: contract, OUTPUT: output }, 'contract', 'emit')
  assert.ok(ok, JSON.stringify(error))
  const { default: emittedContract } = await import(join(output, 'contract.json'), { with: { type: 'json' } })
  const { Customer, Note } = emittedContract.storage.namespaces.public.entries.table
  assert.deepEqual(Customer.columns.id, {
    codecId: 'snoflax/flax-text@1',
    nativeType: 'text',
    nullable: false,
    typeParams: { domain: 'snoflax.id_text', prefix: 'cus' },
  })
  assert.deepEqual(Note.columns.id, { codecId: 'snoflax/flax-uuid@1', nativeType: 'uuid', nullable: false })
  assert.throws(() => idColumn('Nope'), IdError)
  assert.throws(() => generatedId('Flax', { epoch: 5 }), IdError)
})
