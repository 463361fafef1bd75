import { Miniflare } from 'miniflare'

const worker = new Miniflare({
  modules: true,
  scriptPath: 'dist/worker.js',
  compatibilityDate: '2026-01-01',
  d1Databases: ['DB'],
})
const response = await worker.dispatchFetch('http://localhost/')
console.log(await response.text())
await worker.dispose()
