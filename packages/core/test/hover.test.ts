import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

// What an editor shows about ids, and what the compiler says about what is none.

const PROGRAM = `
import { type FlaxId, flax, type Id, prefixed, sno } from '@snoflax/core'
type CustomerId = Id<'flax', 'customer'>
declare const text: string
declare const productId: Id<'flax', 'product'>
declare function loadCustomer(id: CustomerId): void
declare function load(id: FlaxId): void
const bare = flax.generate()
const parsed = flax.parse(text)
const bound = sno.lowerBound(0)
const customer: CustomerId = flax.generate()
const named = flax.parse<'customer'>(text)
const public_ = prefixed(flax, 'cus').generate()
const range = flax.range(0, 1)
load(text)
loadCustomer(text)
loadCustomer(productId)
loadCustomer(bare)
loadCustomer(sno.generate())
`

const FILE = fileURLToPath(new URL('program.ts', import.meta.url))
const host: ts.LanguageServiceHost = {
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    strict: true,
    noEmit: true,
    types: [],
  }),
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => '1',
  getScriptSnapshot(path) {
    const content = path === FILE ? PROGRAM : ts.sys.readFile(path)
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
  },
  getCurrentDirectory: () => fileURLToPath(new URL('.', import.meta.url)),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (path) => path === FILE || ts.sys.fileExists(path),
  readFile: ts.sys.readFile,
}
const service = ts.createLanguageService(host)

const hover = (name: string): string => {
  const info = service.getQuickInfoAtPosition(FILE, PROGRAM.indexOf(`const ${name}`) + 'const '.length)
  return ts.displayPartsToString(info?.displayParts)
}

describe('an editor shows the type of', () => {
  test.for([
    ['bare', 'FlaxId'],
    ['parsed', 'FlaxId'],
    ['bound', 'SnoId'],
    ['customer', 'CustomerId'],
    ['named', 'Id<"flax", "customer">'],
    ['public_', 'Id<"cus">'],
    ['range', 'IdRange<FlaxId>'],
  ] as const)('%s', ([name, type]) => {
    expect(hover(name)).toBe(`const ${name}: ${type}`)
  })
})

test('the compiler says that a text is not an id, and which tables were mixed', () => {
  const messages = service
    .getSemanticDiagnostics(FILE)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  expect(messages).toMatchInlineSnapshot(`
    [
      "Argument of type 'string' is not assignable to parameter of type 'FlaxId'.
      Type 'string' is not assignable to type 'ParsedId<"flax", string>'.",
      "Argument of type 'string' is not assignable to parameter of type 'CustomerId'.
      Type 'string' is not assignable to type 'ParsedId<"flax", "customer">'.",
      "Argument of type 'Id<"flax", "product">' is not assignable to parameter of type 'CustomerId'.
      Type 'Id<"flax", "product">' is not assignable to type 'ParsedId<"flax", "customer">'.
        Types of property ''~of'' are incompatible.
          Type '"product"' is not assignable to type '"customer"'.",
      "Argument of type 'FlaxId' is not assignable to parameter of type 'CustomerId'.
      Type 'FlaxId' is not assignable to type 'ParsedId<"flax", "customer">'.
        Types of property ''~of'' are incompatible.
          Type 'string' is not assignable to type '"customer"'.",
      "Argument of type 'Id<"sno", "customer">' is not assignable to parameter of type 'CustomerId'.
      Type 'Id<"sno", "customer">' is not assignable to type 'ParsedId<"flax", "customer">'.
        Types of property ''~family'' are incompatible.
          Type '"sno"' is not assignable to type '"flax"'.",
    ]
  `)
})
