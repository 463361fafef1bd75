import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { at } from './workspace.js'

const folder = at('.github/workflows')
const jobs = readdirSync(folder).flatMap((file) =>
  readFileSync(`${folder}/${file}`, 'utf8')
    .split(/^ {2}(?=[\w-]+:\n {4})/m)
    .slice(1)
    .map((text) => ({ name: `${file} ${text.slice(0, text.indexOf(':'))}`, text })),
)

test('workflows pin actions by commit and npm by version', () => {
  const used = jobs.flatMap(({ text }) => text.match(/uses: .*/g) ?? [])
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
  const installed = jobs.flatMap(({ text }) => text.match(/\bnpm@\S+/g) ?? [])
  expect(installed).toEqual([expect.stringMatching(/^npm@\d+\.\d+\.\d+$/)])
})

test('jobs that may write or publish run nothing that was installed', () => {
  const trusted = jobs.filter(({ text }) => /: write\b/.test(text))
  expect(trusted.map(({ name }) => name)).toEqual([
    'release.yml publish',
    'release.yml tag',
    'site.yml deploy',
  ])
  for (const { name, text } of trusted) {
    expect(text, name).not.toMatch(/npm (run|test|ci|install(?! --global --ignore-scripts npm@))|npx|\.ci\//)
  }
})
