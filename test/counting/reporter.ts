import type { Reporter, TestModule } from 'vitest/node'
import type {} from './setup.js'

/** Prints how much each project tests, and the files that take longest. */
export default class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = new Set(modules.map(({ project }) => project.name))
    const rows = [...projects].map(
      (name) => [name, modules.filter(({ project }) => project.name === name)] as const,
    )
    console.table(
      Object.fromEntries([...rows, ['all', modules] as const].map(([name, those]) => [name, summed(those)])),
    )

    const longest = [...modules].sort((a, b) => durationOf(b) - durationOf(a)).slice(0, 40)
    console.table(
      Object.fromEntries(
        longest.map((module) => [`${module.project.name} ${module.relativeModuleId}`, counted(module)]),
      ),
    )
  }
}

const durationOf = (module: TestModule) => module.diagnostic().duration + module.diagnostic().collectDuration

function counted(module: TestModule) {
  const tests = [...module.children.allTests()]
  return {
    tests: tests.length,
    skipped: tests.filter((test) => test.result().state === 'skipped').length,
    assertions: sum(tests.map((test) => test.meta().assertions ?? 0)),
    seconds: Math.round(durationOf(module) / 1000),
    cpu: Math.round(module.meta().cpu ?? 0),
  }
}

function summed(modules: readonly TestModule[]) {
  const all = modules.map(counted)
  const total = (key: keyof ReturnType<typeof counted>) => sum(all.map((one) => one[key]))
  return {
    files: modules.length,
    tests: total('tests'),
    skipped: total('skipped'),
    assertions: total('assertions'),
    seconds: total('seconds'),
    cpu: total('cpu'),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
