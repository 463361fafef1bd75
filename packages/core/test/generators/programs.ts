import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Programs run outside vitest and find the package as its users do. @throws if it was not built. */
export function requireBuilt(): void {
  if (existsSync(at('../../esm/index.js'))) return
  throw new Error('packages/core/esm is missing: run `npm run build` first')
}

/** What the program in programs/ writes, run in a process of its own. */
export function inProcess(program: string, task?: unknown): Promise<string> {
  const args = [at(`programs/${program}.js`), ...(task === undefined ? [] : [JSON.stringify(task)])]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 28 }, (error, stdout) => {
      if (error) reject(error)
      else resolve(stdout)
    })
  })
}

/** What the program in programs/ posts, run in a worker thread of its own. */
export function inWorker(program: string, task: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(at(`programs/${program}.js`), { workerData: task, execArgv: [] })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the worker thread posted nothing')))
  })
}
