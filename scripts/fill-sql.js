// Fills the SQL that ships, in a package's dist/sql/, from what is written by hand, in its sql/: sections of family.sql in
// each family's words, whole files in those of several families, and the numbers of the layouts. The words are in the
// package's scripts/families.js.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @typedef {Record<string, string | number>} Words */

/**
 * @typedef {object} Vocabulary
 * @property {Record<string, Words | Words[]>} FAMILIES the words of a file by its name, or those of each of its copies
 * @property {Record<string, Words>} [FORMS] the words of each form of ids
 * @property {Record<string, string | number | bigint>} [CONSTANTS] numbers, whose names stay beside them
 */

const TEMPLATE = 'family.sql'
/** A line that asks for a section, or in the template begins it: -- [time: bytea text] */
const SECTION = /^-- \[([\w ]+)(?:: ([\w ]+))?\]\n+/gm
/** A paragraph of a family's own that is repeated. */
const EACH = /^-- \[each: ([\w ]+)\]\n((?:.+\n)+)/gm
/** A word, or one that has `{caller}` in it: {check: encode} */
const WORD = /\{([a-z][\w. ]*)(?:: (\w+))?\}/g
/** Between the copies of a file, as between the statements of MySQL. */
const BETWEEN = '//\n'

/** @type {string[]} */
const faults = []
for (const folder of process.argv.slice(2)) {
  const { href } = pathToFileURL(resolve(folder, 'scripts/families.js'))
  fillPackage(folder, await import(href))
}
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

/**
 * @param {string} folder
 * @param {Vocabulary} vocabulary
 */
function fillPackage(folder, { FAMILIES, FORMS = {}, CONSTANTS = {} }) {
  const read = (/** @type {string} */ file) => readFileSync(join(folder, 'sql', file), 'utf8')
  const files = readdirSync(join(folder, 'sql'))
  const sections = files.includes(TEMPLATE) ? sectionsOf(read(TEMPLATE)) : {}

  mkdirSync(join(folder, 'dist/sql'), { recursive: true })
  for (const file of files.filter((name) => name !== TEMPLATE)) {
    const copies = [FAMILIES[file.replace('.sql', '')] ?? {}].flat()
    write(join(folder, 'dist/sql', file), copies.map((words) => filled(file, words)).join(BETWEEN))
  }

  /**
   * @param {string} file
   * @param {Words} words
   */
  function filled(file, words) {
    const unknown = (/** @type {string} */ what) => {
      faults.push(`${file}: there is no ${what}`)
      return what
    }
    const section = (/** @type {string} */ name, /** @type {string[]} */ forms) =>
      (sections[name] ?? unknown(`section [${name}]`))
        .split(/\n{2,}/)
        .map((paragraph) => (paragraph.includes('{form}') ? repeat(paragraph, forms) : paragraph))
        .join('\n\n')
    const repeat = (/** @type {string} */ paragraph, /** @type {string[]} */ forms) =>
      forms.map((form) => fill(paragraph, { ...words, ...FORMS[form], form })).join('\n\n')

    /**
     * Words of the words are filled too.
     *
     * @param {string} text
     * @param {Words} known
     * @returns {string}
     */
    const fill = (text, known) =>
      text.replace(WORD, (_, word, caller) => {
        if (word in known) return fill(String(known[word]), caller ? { ...known, caller } : known)
        const name = word in CONSTANTS ? word : `${words['family']}.${word}`
        const value = CONSTANTS[name]
        if (value === undefined) return unknown(`{${word}}`)
        return `${typeof value === 'string' ? `'${value}'` : value}/*${name}*/`
      })

    const sql = read(file)
      .replace(EACH, (_, forms, paragraph) => repeat(paragraph, forms.split(' ')))
      .replace(SECTION, (_, name, forms = '') => `${section(name, forms.split(' '))}\n\n`)
    return fill(sql, words)
  }
}

/** @param {string} template */
function sectionsOf(template) {
  const [, ...parts] = template.split(SECTION)
  /** @type {Record<string, string>} */
  const found = {}
  for (let at = 0; at < parts.length; at += 3) found[String(parts[at])] = String(parts[at + 2]).trimEnd()
  return found
}

/**
 * A file that is right is left alone, since programs that run beside may read it.
 *
 * @param {string} path
 * @param {string} sql
 */
function write(path, sql) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== sql) writeFileSync(path, sql)
}
