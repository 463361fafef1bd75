// Fills the SQL that ships, in dist/sql/, from what is written by hand, in sql/: sections of family.sql in each family's
// words, and the numbers of the layouts.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { FAMILIES, FORMS } from './families.js'
import { layoutConstants } from './layout-constants.js'

const SOURCES = new URL('../sql/', import.meta.url)
const FILLED = new URL('../dist/sql/', import.meta.url)
const TEMPLATE = 'family.sql'
/** A line that asks for a section, or in the template begins it: -- [time: bytea text] */
const SECTION = /^-- \[([\w ]+)(?:: ([\w ]+))?\]\n+/gm
/** A paragraph of a family's own that is repeated. */
const EACH = /^-- \[each: ([\w ]+)\]\n((?:.+\n)+)/gm
const WORD = /\{([a-z][\w. ]*)\}/g

const constants = layoutConstants()
const unused = new Set(Object.keys(constants))
const sections = sectionsOf(read(TEMPLATE))
/** @type {string[]} */
const faults = []

mkdirSync(FILLED, { recursive: true })
for (const file of readdirSync(SOURCES).filter((name) => name !== TEMPLATE)) {
  const words = FAMILIES[file.replace('.sql', '')] ?? {}
  const sql = read(file)
    .replace(EACH, (_, forms, paragraph) => repeat(paragraph, forms.split(' '), words, file))
    .replace(SECTION, (_, name, forms = '') => section(name, forms.split(' '), words, file))
  write(new URL(file, FILLED), fill(sql, words, file))
}
for (const name of unused) faults.push(`no SQL file uses ${name}`)

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0

/** @param {string} template */
function sectionsOf(template) {
  const [, ...parts] = template.split(SECTION)
  /** @type {Record<string, string>} */
  const found = {}
  for (let at = 0; at < parts.length; at += 3) found[String(parts[at])] = String(parts[at + 2]).trimEnd()
  return found
}

/**
 * @param {string} name
 * @param {readonly string[]} forms
 * @param {import('./families.js').Words} words
 * @param {string} file
 */
function section(name, forms, words, file) {
  const paragraphs = (sections[name] ?? unknown(file, `section [${name}]`)).split(/\n{2,}/)
  return `${paragraphs
    .map((paragraph) => (paragraph.includes('{form}') ? repeat(paragraph, forms, words, file) : paragraph))
    .join('\n\n')}\n\n`
}

/**
 * @param {string} paragraph
 * @param {readonly string[]} forms
 * @param {import('./families.js').Words} words
 * @param {string} file
 */
function repeat(paragraph, forms, words, file) {
  return forms.map((form) => fill(paragraph, { ...words, ...FORMS[form], form }, file)).join('\n\n')
}

/**
 * Words of the words are filled too.
 *
 * @param {string} text
 * @param {import('./families.js').Words} words
 * @param {string} file
 * @returns {string}
 */
function fill(text, words, file) {
  return text.replace(WORD, (_, word) => {
    if (word in words) return fill(String(words[word]), words, file)
    return numberOf(word in constants ? word : `${words['family']}.${word}`, word, file)
  })
}

/**
 * @param {string} name
 * @param {string} written
 * @param {string} file
 */
function numberOf(name, written, file) {
  const value = constants[name]
  if (value === undefined) return unknown(file, `{${written}}`)
  unused.delete(name)
  return `${typeof value === 'string' ? `'${value}'` : value}/*${name}*/`
}

/**
 * @param {string} file
 * @param {string} what
 */
function unknown(file, what) {
  faults.push(`${file}: there is no ${what}`)
  return what
}

/** @param {string} file */
function read(file) {
  return readFileSync(new URL(file, SOURCES), 'utf8')
}

/**
 * A file that is right is left alone, since programs that run beside may read it.
 *
 * @param {URL} url
 * @param {string} sql
 */
function write(url, sql) {
  if (!existsSync(url) || readFileSync(url, 'utf8') !== sql) writeFileSync(url, sql)
}
