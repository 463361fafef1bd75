// Coverage-guided fuzzing of the built packages: `npm run fuzz`, or `node scripts/fuzz.js sql` for the targets in fuzz/ whose
// name begins so. SNOFLAX_FUZZ_SECONDS is the time of each, 20 by default. fuzz/corpus contains the inputs that reached new
// branches, as base64, one per line; --keep updates it.
import { readFileSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import ts from 'typescript'

const FOLDER = new URL('../fuzz/', import.meta.url)
const SECONDS = Number(process.env['SNOFLAX_FUZZ_SECONDS'] ?? 20)
const LONGEST = 256
/** An input that takes longer is a fault. Targets repeat new inputs, so that cubic time in their length exceeds it. */
const PATIENCE_MS = 30_000

/** @param {string} target */
const corpusOf = (target) => new URL(`corpus/${target}.txt`, FOLDER)

if (isMainThread) {
  const wanted = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? ''
  for (const target of ['texts', 'bytes', 'sql'].filter((name) => name.startsWith(wanted))) await run(target)
} else {
  fuzz(workerData)
}

/** @param {string} target */
async function run(target) {
  const corpus = readFileSync(corpusOf(target), 'utf8').split('\n').filter(Boolean)
  const current = new Uint8Array(new SharedArrayBuffer(4 + LONGEST))
  const runs = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(import.meta.url), { workerData: { target, corpus, current, runs } })
  let [seen, sinceMs] = [0, performance.now()]
  const result = await new Promise((resolve) => {
    const watch = setInterval(() => {
      if (runs[0] !== seen) [seen, sinceMs] = [runs[0] ?? 0, performance.now()]
      else if (performance.now() - sinceMs > PATIENCE_MS)
        resolve({ fault: `no answer for ${PATIENCE_MS} ms` })
    }, 500)
    worker.once('message', resolve)
    worker.once('error', (error) => resolve({ fault: error.stack }))
    worker.once('exit', () => clearInterval(watch))
  })
  await worker.terminate()
  if (result.fault) {
    const input = Buffer.from(current.subarray(4, 4 + (current[0] ?? 0) + 256 * (current[1] ?? 0)))
    console.error(
      `fuzz: ${target}: ${input.toString('base64')} (${JSON.stringify(input.toString('latin1'))})\n${result.fault}`,
    )
    process.exit(1)
  }
  console.log(
    `fuzz: ${target}: ${result.runs.toLocaleString('en')} inputs, ${result.reached} of ${result.branches} branches, ` +
      `${result.corpus.length - corpus.length} new inputs worth keeping, no fault`,
  )
  if (process.argv.includes('--keep')) writeFileSync(corpusOf(target), `${result.corpus.sort().join('\n')}\n`)
}

/** @param {{ target: string, corpus: string[], current: Uint8Array, runs: Int32Array }} task */
function fuzz({ target, corpus: lines, current, runs }) {
  const { counts, branches } = instrument()
  const require = createRequire(FOLDER)
  /** @type {{ fuzz(data: Buffer): void, repeated?(data: Buffer): void, words: readonly string[] }} */
  const { fuzz: feed, repeated, words } = require(`./${target}.cjs`)
  const corpus = lines.map((line) => Buffer.from(line, 'base64'))
  /** How often each branch was taken in one input, as a bit for each of 1, 2, 3, 4 to 7, 8 to 15 … times. */
  const reached = new Uint8Array(counts.length)

  /** Whether the input took a branch in a way that no earlier input did. */
  const isNew = (/** @type {Buffer} */ input) => {
    counts.fill(0)
    current[0] = input.length & 255
    current[1] = input.length >> 8
    current.set(input, 4)
    feed(input)
    runs[0] = (runs[0] ?? 0) + 1
    let found = false
    for (let i = 0; i < branches(); i++) {
      const count = counts[i] ?? 0
      if (count === 0) continue
      const bit = 1 << (count < 4 ? count - 1 : Math.min(30 - Math.clz32(count) + 2, 7))
      if (((reached[i] ?? 0) & bit) !== 0) continue
      reached[i] = (reached[i] ?? 0) | bit
      found = true
    }
    if (found) repeated?.(input)
    return found
  }

  /** Drops inputs that others make superfluous. */
  const kept = corpus.sort((a, b) => a.length - b.length).filter(isNew)
  const untilMs = performance.now() + SECONDS * 1000
  while (performance.now() < untilMs) {
    const input = mutated(kept, words)
    if (isNew(input)) kept.push(input)
  }
  parentPort?.postMessage({
    runs: runs[0],
    branches: branches(),
    reached: reached.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0),
    corpus: kept.map((input) => input.toString('base64')),
  })
}

/** @param {readonly Buffer[]} corpus @param {readonly string[]} words */
function mutated(corpus, words) {
  const below = (/** @type {number} */ n) => Math.floor(Math.random() * n)
  const some = () => corpus[below(corpus.length)] ?? Buffer.alloc(1)
  let input = Buffer.from(some())
  for (let steps = 1 + below(5); steps > 0; steps--) {
    const [at, length] = [below(input.length + 1), 1 + below(8)]
    const [head, tail] = [input.subarray(0, at), input.subarray(at)]
    const other = some()
    const from = below(other.length + 1)
    const next = [
      () => Buffer.concat([head, Buffer.from(words[below(words.length)] ?? ''), tail]),
      () => Buffer.concat([head, Buffer.of(below(256)), tail]),
      () => Buffer.concat([head, tail.subarray(length)]),
      () => Buffer.concat([head, Buffer.of(below(96) + 32), tail.subarray(1)]),
      () => Buffer.concat([head, Buffer.of((tail[0] ?? 0) ^ (1 << below(8))), tail.subarray(1)]),
      () => Buffer.concat([head, other.subarray(from, from + 4 * length), tail]),
      () => Buffer.concat([head, tail.subarray(0, length), tail]),
    ][below(7)]
    input = next?.() ?? input
  }
  return input.subarray(0, LONGEST)
}

/** Instruments our packages' CommonJS as it is loaded, so that it counts its branches. */
function instrument() {
  const counts = new Uint32Array(1 << 16)
  let branches = 0
  Object.assign(globalThis, { __branches: counts })
  const { factory } = ts
  const count = () =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(factory.createIdentifier('__branches'), branches++),
    )
  /** @param {ts.Expression} expression */
  const counted = (expression) =>
    factory.createParenthesizedExpression(
      factory.createBinaryExpression(count(), ts.SyntaxKind.CommaToken, expression),
    )
  const SHORT = [
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ]

  /** @type {ts.TransformerFactory<ts.SourceFile>} */
  const transformer = (context) => (file) => {
    /** @type {ts.Visitor} */
    const visit = (found) => {
      const node = ts.visitEachChild(found, visit, context)
      if (ts.isBlock(node)) {
        return factory.updateBlock(node, [factory.createExpressionStatement(count()), ...node.statements])
      }
      if (ts.isCaseClause(node)) {
        const statements = [factory.createExpressionStatement(count()), ...node.statements]
        return factory.updateCaseClause(node, node.expression, statements)
      }
      if (ts.isConditionalExpression(node)) {
        const { condition, questionToken, whenTrue, colonToken, whenFalse } = node
        const [yes, no] = [counted(whenTrue), counted(whenFalse)]
        return factory.updateConditionalExpression(node, condition, questionToken, yes, colonToken, no)
      }
      if (ts.isBinaryExpression(node) && SHORT.includes(node.operatorToken.kind)) {
        return factory.updateBinaryExpression(node, node.left, node.operatorToken, counted(node.right))
      }
      if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
        const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken, body } = node
        return factory.updateArrowFunction(
          node,
          modifiers,
          typeParameters,
          parameters,
          type,
          equalsGreaterThanToken,
          counted(body),
        )
      }
      if (ts.isIfStatement(node) && !ts.isBlock(node.thenStatement)) {
        const { expression, thenStatement, elseStatement } = node
        const block = factory.createBlock([factory.createExpressionStatement(count()), thenStatement])
        return factory.updateIfStatement(node, expression, block, elseStatement)
      }
      return node
    }
    return ts.visitEachChild(file, visit, context)
  }

  const sources = /^(?:packages|tools)\//
  const root = fileURLToPath(new URL('..', import.meta.url))
  const loading = /** @type {any} */ (Module).prototype
  const compile = loading._compile
  loading._compile = function (/** @type {string} */ code, /** @type {string} */ path) {
    if (!path.startsWith(root) || !sources.test(path.slice(root.length)) || path.includes('node_modules'))
      return compile.call(this, code, path)
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
      transformers: { before: [transformer] },
    })
    return compile.call(this, outputText, path)
  }
  return { counts, branches: () => branches }
}
