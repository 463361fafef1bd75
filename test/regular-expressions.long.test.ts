import { readdirSync, readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { at, folderOf, packageFolders } from './workspace.js'

interface Found {
  readonly place: string
  readonly source: string
  readonly flags: string
}

/** The regular expressions of a file: literals, and what `new RegExp` gets, with `x` for what only a run knows. */
function expressionsIn(file: string, text: string): Found[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const constants = new Map<string, ts.Expression>()
  const found: Found[] = []
  const textOf = (node: ts.Expression | undefined): string => {
    if (node === undefined) return ''
    if (ts.isStringLiteralLike(node)) return node.text
    if (ts.isRegularExpressionLiteral(node)) return partsOf(node).source
    if (ts.isTemplateExpression(node))
      return node.templateSpans.reduce(
        (all, { expression, literal }) => all + textOf(expression) + literal.text,
        node.head.text,
      )
    if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right)
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression)
    if (ts.isIdentifier(node) && constants.has(node.text)) return textOf(constants.get(node.text))
    return 'x'
  }
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer)
    const place = `${file}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, ...partsOf(node) })
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? []
      found.push({
        place,
        source: textOf(source),
        flags: flags && ts.isStringLiteral(flags) ? flags.text : '',
      })
    }
    ts.forEachChild(node, visit)
  }
  // Constants may stand below what uses them.
  visit(tree)
  found.length = 0
  visit(tree)
  return found
}

function partsOf({ text }: ts.RegularExpressionLiteral) {
  const end = text.lastIndexOf('/')
  return { source: text.slice(1, end), flags: text.slice(end + 1) }
}

const FILES = packageFolders.flatMap((name) =>
  readdirSync(at(`${folderOf(name)}/src`), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?[jt]s$/.test(file))
    .map((file) => `${folderOf(name)}/src/${file}`),
)
const ALL = FILES.flatMap((file) => expressionsIn(file, readFileSync(at(file), 'utf8')))

/** Characters that classes without a name of their own contain. */
const CHARACTERS = [...'aZ0 _-.,:;(){}[]"\'`$<=!/*\\\n\r\t\0é\u2028\ufeff']
/** What no expression wants after a run. */
const ENDS = ['\x01', '\n\x01', 'é', '']

/** Runs of each character and word of the expression, of pairs of them, and of one behind another. */
function runsOf(source: string): string[] {
  const words = source.match(/[a-z]{2,}/gi) ?? []
  const own = [...new Set(source.replace(/\\[a-zA-Z]|[\^|?+]/g, ''))]
  const units = [...new Set([...CHARACTERS, ...own, ...words, ...words.map((word) => `${word} `)])]
  const pairs = [...new Set([...own, ' ', 'a', '0'])].flatMap((one, n, all) =>
    all.slice(0, n).map((other) => one + other),
  )
  return [...units, ...pairs]
}

const LENGTH = 5_000
/** A linear search of so many characters takes far less, a quadratic one more. */
const SUSPICIOUS_MS = 4
/** Twice the length takes 2 times as long if a search is linear, and 4 times if it is quadratic. */
const RATIO = 3

/** Runs in a context of its own, whose deadline ends even a search that would take years. */
const SEARCHES = `
  const expression = new RegExp(source, flags)
  const search = (text) => { expression.lastIndex = 0; flags.includes('g') ? text.replace(expression, '') : expression.exec(text) }
  const msOf = (text, times) => {
    let least = Infinity
    for (let n = 0; n < times; n++) {
      const before = cpuMs()
      search(text)
      least = Math.min(least, cpuMs() - before)
    }
    return least
  }
  const slow = []
  for (const [one, end, before] of runs) {
    const textOf = (length) => before + one.repeat(length / one.length) + end
    current(one + ' … ' + end)
    if (msOf(textOf(length), 1) < suspiciousMs) continue
    const [once, twice] = [msOf(textOf(length), 3), msOf(textOf(2 * length), 3)]
    if (once >= suspiciousMs && twice > ratio * once) slow.push(before + one + ' … ' + end)
  }
  slow`

/** The runs on which a search isn't linear. */
function slowRuns({ source, flags }: Found): string[] {
  const units = runsOf(source)
  const first = [...source.replace(/^\^?(?:\\.)?/, '')][0] ?? ''
  const runs = units.flatMap((one) =>
    ENDS.flatMap((end) => [
      [one, end, ''],
      [one, end, first],
    ]),
  )
  const cpuMs = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  let at = ''
  const current = (run: string) => {
    at = run
  }
  const input = {
    source,
    flags,
    runs,
    cpuMs,
    current,
    length: LENGTH,
    suspiciousMs: SUSPICIOUS_MS,
    ratio: RATIO,
  }
  try {
    return [...runInNewContext(SEARCHES, input, { timeout: 10_000 })]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      if ((error as Error).name === 'RangeError') return [`${at}: ${(error as Error).message}`]
      throw error
    }
    return [`${at}: never ends`]
  }
}

test('the expressions of all packages are found, also those that are composed', () => {
  expect(ALL.length).toBeGreaterThan(200)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
  const text = "const A = 'a+'\nconst both = /x/g.test(y) || new RegExp(`${A}|${/b/.source}` + z, 'i')"
  expect(expressionsIn('a.ts', text)).toEqual([
    { place: 'a.ts:2', source: 'x', flags: 'g' },
    { place: 'a.ts:2', source: 'a+|bx', flags: 'i' },
    { place: 'a.ts:2', source: 'b', flags: '' },
  ])
})

test('searches that are quadratic or worse are found', () => {
  const slow = (source: string, flags = '') => slowRuns({ place: '', source, flags }).length > 0
  expect(['\\s+$', '^(?:a+)+$', '\\s*;', 'a[^b]*b', '^(?:=|=)*!$'].filter((one) => !slow(one))).toEqual([])
  expect(['(?<!\\s)\\s+$', '^a+$', '[^\\x00-\\x1f]', '^[^=]+=$'].filter((one) => slow(one))).toEqual([])
})

test('every expression searches in linear time', () => {
  const distinct = new Map(ALL.map((one) => [`/${one.source}/${one.flags}`, one]))
  const slow = [...distinct].flatMap(([text, one]) => {
    const runs = slowRuns(one).slice(0, 3)
    return runs.length > 0 ? [`${one.place} ${text} on ${JSON.stringify(runs)}`] : []
  })
  expect(slow).toEqual([])
})
