import { expect, test } from 'vitest'
import type { App } from './app.js'

/** The tests of an application: they use labels, expect "not found", and read what they wrote. */
export function scenarios(open: () => App): void {
  test('a row under a fixed id is found, and no other', async () => {
    const app = open()
    const id = app.label('user', 1)
    expect(await app.signUp({ id, name: 'ada' })).toBe(id)
    expect(await app.profile(id)).toEqual({ name: 'ada', bio: null })
    expect(await app.profile(app.label('user', 999))).toBeUndefined()
    expect(await app.rename(id, 'ada l.')).toBe(true)
    expect(await app.rename(app.label('user', 999), 'nobody')).toBe(false)
    expect(await app.profile(id)).toEqual({ name: 'ada l.', bio: null })
  })

  test('what can not be an id is not found, in every kind of condition', async () => {
    const app = open()
    const wrong = app.label('nothing like', 1)
    expect(await app.read(wrong)).toBeUndefined()
    expect(await app.page(wrong, 5)).toEqual([])
    expect(await app.page(wrong, 5, wrong)).toEqual([])
    expect(await app.path(wrong)).toEqual([])
    expect(await app.reactions(wrong)).toEqual([])
    await app.remove(wrong)
  })

  test('a row with the key of another follows it', async () => {
    const app = open()
    const id = await app.signUp({ name: 'grace' })
    await app.setBio(id, 'compiles')
    await app.setBio(id, 'compiles, and runs')
    expect(await app.profile(id)).toEqual({ name: 'grace', bio: 'compiles, and runs' })
  })

  test('folders refer to folders', async () => {
    const app = open()
    const ownerId = await app.signUp({ name: 'barbara' })
    const top = await app.folder({ ownerId, name: 'top' })
    const middle = await app.folder({ ownerId, name: 'middle', parentId: top, id: app.label('folder', 7) })
    const low = await app.folder({ ownerId, name: 'low', parentId: middle })
    expect(await app.path(low)).toEqual(['top', 'middle', 'low'])
    await expect(app.folder({ ownerId, name: 'lost', parentId: app.label('folder', 404) })).rejects.toThrow()
  })

  test('a post has an owner, a folder and tags, by joins and a junction', async () => {
    const app = open()
    const ownerId = await app.signUp({ name: 'donald' })
    const folderId = await app.folder({ ownerId, name: 'books' })
    const first = await app.post({
      ownerId,
      folderId,
      title: 'one',
      body: 'sorting and searching',
      at: 101,
      tags: ['donald 1', 'donald 2'],
    })
    const second = await app.post({
      ownerId,
      title: 'two',
      body: 'a search for numbers',
      at: 102,
      tags: ['donald 2'],
      id: app.label('post', 2),
    })
    expect(await app.read(first)).toEqual({
      title: 'one',
      owner: 'donald',
      folder: 'books',
      tags: ['donald 1', 'donald 2'],
    })
    expect(await app.read(second)).toEqual({
      title: 'two',
      owner: 'donald',
      folder: null,
      tags: ['donald 2'],
    })
    expect(await app.search('search')).toEqual([first, second])
    await app.remove(first)
    expect(await app.read(first)).toBeUndefined()
    expect(await app.search('search')).toEqual([second])
    await expect(app.post({ ownerId: app.label('user', 404), title: 'nobody', at: 1 })).rejects.toThrow()
  })

  test('pages follow a cursor', async () => {
    const app = open()
    const ownerId = await app.signUp({ name: 'edsger' })
    // Two at each moment, one of them under a fixed id.
    for (let at = 1; at <= 6; at++)
      await app.post({ ownerId, title: `${at}`, at: at >> 1, ...(at % 2 && { id: app.label('page', at) }) })
    const titles: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await app.page(ownerId, 2, after)
      titles.push(...page.map(({ title }) => title))
      after = page.at(-1)?.id
      if (after === undefined) break
    }
    expect([...titles].sort()).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(titles[0]).toBe('6')
    expect(titles.at(-1)).toBe('1')
  })

  test('a foreign key of two columns holds', async () => {
    const app = open()
    const [ownerId, reader] = [await app.signUp({ name: 'alan' }), await app.signUp({ name: 'john' })]
    const post = await app.post({ ownerId, title: 'machines', at: 1 })
    await app.share(post, reader)
    await app.share(post, ownerId)
    await app.react(post, reader, '+1')
    await app.react(post, ownerId, 'smile')
    expect(await app.reactions(post)).toEqual(['alan smile', 'john +1'])
    const stranger = await app.signUp({ name: 'kurt' })
    await expect(app.react(post, stranger, '-1')).rejects.toThrow()
    await expect(app.share(post, reader)).rejects.toThrow()
  })

  test('ids are kept as JSON', async () => {
    const app = open()
    const userId = await app.signUp({ name: 'tony' })
    const posts = [
      await app.post({ ownerId: userId, title: 'null', at: 1 }),
      await app.post({ ownerId: userId, title: 'monitors', at: 2 }),
    ]
    await app.pin(userId, [...posts, app.label('post', 404)])
    expect(await app.pinned(userId)).toEqual(['null', 'monitors'])
    await app.pin(userId, [])
    expect(await app.pinned(userId)).toEqual([])
  })

  test('deleting a user deletes what is theirs', async () => {
    const app = open()
    const id = await app.signUp({ name: 'margaret' })
    const post = await app.post({ ownerId: id, title: 'onboard', at: 1, tags: ['margaret'] })
    expect((await app.counts()).find(({ name }) => name === 'margaret')?.posts).toBe(1)
    await app.deleteUser(id)
    expect(await app.read(post)).toBeUndefined()
    expect(await app.profile(id)).toBeUndefined()
    expect((await app.counts()).some(({ name }) => name === 'margaret')).toBe(false)
  })
}

/** Rows of the schema as it was. */
export async function storeRows(app: App): Promise<{ userId: string; posts: string[] }> {
  const userId = await app.signUp({ name: 'older' })
  expect(userId).toMatch(app.stored)
  const folderId = await app.folder({ ownerId: userId, name: 'old folder' })
  const posts = [
    await app.post({ ownerId: userId, folderId, title: 'old 1', at: 11, tags: ['old'] }),
    await app.post({ ownerId: userId, title: 'old 2', at: 12 }),
  ]
  const reader = await app.signUp({ name: 'reader' })
  await app.share(posts[0] as string, reader)
  await app.react(posts[0] as string, reader, 'kept')
  await app.share(posts[0] as string, userId)
  return { userId, posts }
}

/** With the schema as it is now. */
export async function checkRows(
  app: App,
  { userId, posts }: { userId: string; posts: string[] },
  /** What the ids of posts look like, old and new. */
  shape: RegExp,
): Promise<void> {
  const [first] = posts as [string]
  expect(await app.profile(userId)).toEqual({ name: 'older', bio: null })
  expect(await app.read(first)).toEqual({
    title: 'old 1',
    owner: 'older',
    folder: 'old folder',
    tags: ['old'],
  })
  await app.react(first, userId, 'still')
  expect(await app.reactions(first)).toEqual(['older still', 'reader kept'])
  const made = await app.post({ ownerId: userId, title: 'new', at: 13, tags: ['old', 'fresh'] })
  for (const post of [...posts, made]) expect(post).toMatch(shape)
  expect((await app.page(userId, 2)).map(({ title }) => title)).toEqual(['new', 'old 2'])
  expect((await app.page(userId, 2, made)).map(({ title }) => title)).toEqual(['old 2', 'old 1'])
  await app.pin(userId, [...posts, made])
  expect(await app.pinned(userId)).toEqual(['old 1', 'old 2', 'new'])
}
