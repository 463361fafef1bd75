import { expect, test, vi } from 'vitest'

test('makes, stores, finds and refuses an id', async () => {
  const log = vi.spyOn(console, 'log')
  await import('./main')
  await vi.waitFor(() =>
    expect(log).toHaveBeenCalledWith(expect.stringMatching(/^stored, found and refused/)),
  )
})
