import { flax } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { declaring } from './declaring.js'
import { doctor } from './reports.js'

const CUID = 'tz4a98xxat96iws9zmbrgj3a'

const SCHEMA = `CREATE TABLE users (id TEXT PRIMARY KEY);
  CREATE TABLE posts (id TEXT PRIMARY KEY, user_id TEXT REFERENCES users)`

test('keys that a declared column accepts are counted, not refused', async () => {
  const database = await sqlite.open()
  try {
    const { connection } = database
    connection.exec(SCHEMA)
    const add = connection.prepare('INSERT INTO users VALUES (?)')
    for (const id of [CUID, CUID.replace('z', 'a'), flax.generate(), 'no key']) add.run(id)
    connection.prepare('INSERT INTO posts VALUES (?, ?)').run(flax.generate(), CUID)
    const declared = declaring(
      'accepted',
      `users: { id: idColumn(flax)({ accept: /[a-z0-9]{24}/ }) },
       posts: { id: behind('pst')({ accept: /[-\\w]{16}/ }), user_id: idColumn(flax).ref('users.id') }`,
      'sqlite',
    )
    const { columns, findings, notes, advice } = await doctor(database.file, '--kysely', declared)
    expect(columns.map(({ place, family, rowsRead }) => [place, family, rowsRead])).toEqual([
      ['users.id', 'flax', 4],
      ['posts.id', 'flax', 1],
      ['posts.user_id', 'flax', 1],
    ])
    expect(notes).toEqual([
      'users.id: 2 of 4 values read are other keys that the column accepts',
      'posts.id: 1 of 1 values read are other keys that the column accepts',
      'posts.user_id: 1 of 1 values read are other keys that the column accepts',
    ])
    expect(findings.map(({ check, where, message }) => [check, where, message])).toEqual([
      [
        'declaration',
        'posts.id',
        "its accept also takes every id of users.id, so an id of the wrong table isn't refused",
      ],
      [
        'malformed',
        'users.id',
        expect.stringMatching(/^values that are not flax in storage text: 1;.*no key/),
      ],
    ])
    // No CHECK is suggested, since it would refuse accepted keys.
    expect(advice).toEqual([])
  } finally {
    await database.close()
  }
})
