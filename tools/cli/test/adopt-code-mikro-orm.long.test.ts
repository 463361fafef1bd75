import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { adopt, adoptIn, project } from './adopting.js'
import { bin, json } from './running.js'

const config = (
  driver: string,
  names: readonly string[],
) => `import { defineConfig } from '@mikro-orm/${driver}'
import { ${names.join(', ')} } from './entities.js'
export default defineConfig({ dbName: 'app', entities: [${names.join(', ')}] })
`
const IMPORTS = `import { createId } from '@paralleldrive/cuid2'
import { nanoid } from 'nanoid'
import { randomUUID } from 'node:crypto'
`

/** An application with these entities, of which the configuration lists the exported ones. */
const app = (
  entities: string,
  driver: string,
  from = "import { defineEntity, p } from '@mikro-orm/core'",
) => ({
  'entities.ts': `${from}\n${IMPORTS}${entities}`,
  'mikro-orm.config.ts': config(
    driver,
    [...entities.matchAll(/^(?:@Entity.*\n?)?export (?:const|class) (\w+)/gm)].map(
      ([, name]) => name as string,
    ),
  ),
})

const BUILT = `const key = (prefix: string) => p.string().length(40).primary().onCreate(() => \`\${prefix}_\${createId()}\`)
const base = { id: p.uuid().primary().onCreate(() => randomUUID()), createdAt: p.integer().nullable() }
export const User = defineEntity({
  name: 'User',
  properties: {
    id: key('usr').fieldName('user_id').comment('who').hidden(),
    name: p.string(),
    posts: () => p.oneToMany(Post).mappedBy('author'),
  },
})
export const Post = defineEntity({ name: 'Post', properties: { id: p.string().primary().onCreate(() => nanoid()), slug: p.string().unique().onCreate(() => nanoid(8)), author: () => p.manyToOne(User).nullable(), readers: () => p.manyToMany(User) } })
export const Note = defineEntity({ name: 'Note', tableName: 'notes', properties: { ...base, post: () => p.manyToOne(Post).targetKey('slug'), parent: () => p.manyToOne(Note).nullable() } })
export const Profile = defineEntity({ name: 'Profile', properties: { user: () => p.oneToOne(User).primary(), bio: p.text().nullable() } })
export const Share = defineEntity({ name: 'Share', properties: { post: () => p.manyToOne(Post).primary(), user: () => p.manyToOne(User).primary() } })
export const Reaction = defineEntity({ name: 'Reaction', properties: { id: p.integer().primary(), share: () => p.manyToOne(Share), of: () => p.manyToOne([User, Note]).nullable() } })
const Address = defineEntity({ embeddable: true, name: 'Address', properties: { city: p.string(), owner: () => p.manyToOne(User).nullable() } })
export const Shop = defineEntity({ name: 'Shop', properties: { slug: p.string().primary(), address: () => p.embedded(Address) } })
const TokenSchema = defineEntity({ name: 'Token', properties: { id: p.uuid().primary().defaultRaw('gen_random_uuid()'), shop: () => p.manyToOne(Shop) } })
export class Token extends TokenSchema.class {}
TokenSchema.setClass(Token)
export const Log = defineEntity({ name: 'Log', properties: { id: p.text().primary().onCreate(() => randomUUID()) } })
`
/** In PostgreSQL and MariaDB columns keep their types. */
const KEPT = {
  sqlite: ["comment: 'who', ", '', ''],
  postgresql: ["comment: 'who', columnType: 'varchar(40)', ", "columnType: 'varchar(255)', ", ''],
  mariadb: [
    "comment: 'who', columnType: 'varchar(40)', ",
    "columnType: 'varchar(255)', ",
    "columnType: 'varchar(36)', ",
  ],
} as const

test.each(Object.entries(KEPT))(
  'keys that onCreate generates, relations, and kept types: %s',
  async (driver, [user, post, note]) => {
    const isPostgres = driver === 'postgresql'
    const built = isPostgres ? BUILT : BUILT.slice(0, BUILT.indexOf('const Token'))
    const { after, adopted, kept, left, counts, code, checked, faults, folder } = await adopt(
      app(built, driver),
    )
    expect({ code, left, checked, faults }).toEqual({ code: 0, left: [], checked: true, faults: [] })
    expect(
      adopted.flatMap(({ kind, name, pattern }) => (kind === 'key' ? `${name} ${pattern}` : [])).sort(),
    ).toEqual([
      ...(isPostgres ? ['Log.id [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'] : []),
      'Note.id [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
      'Post.id [0-9A-Z_a-z-]{21}',
      'Post.slug [0-9A-Z_a-z-]{8}',
      ...(isPostgres ? ['Token.id [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'] : []),
      'User.id usr_[a-z0-9]{24}',
    ])
    expect(
      adopted.flatMap(({ kind, name, text }) => (kind === 'reference' ? `${name} → ${text}` : [])).sort(),
    ).toEqual([
      'Note.parent → Note.id',
      'Note.post → Post.slug',
      'Post.author → User.id',
      'Profile.user → User.id',
      'Reaction.of.of_user_id → User.id',
      'Reaction.share.share_post_id → Post.id',
      'Reaction.share.share_user_user_id → User.id',
      'Share.post → Post.id',
      'Share.user → User.id',
      'Shop.address.owner → User.id',
      'post_readers.Post_owner → Post.id',
      'post_readers.User_inverse → User.id',
    ])
    for (const { name, line } of adopted)
      expect(line === undefined, name).toBe(name.startsWith('post_readers.'))
    const natural = ['Shop.slug', 'Reaction.id', ...(isPostgres ? ['Token.shop'] : [])]
    expect(kept.map(({ name }) => name).sort()).toEqual(natural.sort())
    for (const line of [
      `export const usrId = opaque('usr', { pattern: /usr_[a-z0-9]{24}/, generate: () => \`usr_\${createId()}\` })`,
      `id: { ...idProperty(usrId, { fieldName: 'user_id', ${user}onMismatch: 'notFound', branded: false }), hidden: true },`,
      `id: idProperty(postId, { ${post}onMismatch: 'notFound', branded: false }), slug: idProperty(postId2, { unique: true, primary: false, ${post}onMismatch: 'notFound', branded: false }), author`,
      `{ ...base, id: idProperty(noteId, { ${note}${isPostgres ? '' : "onMismatch: 'notFound', "}branded: false }), post`,
      ...(isPostgres
        ? [
            "export const tokenId = opaque('token', { pattern: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/, generate: () => crypto.randomUUID() })",
            "id: { ...idProperty(tokenId, { branded: false }), defaultRaw: 'gen_random_uuid()' }, shop",
            "id: idProperty(logId, { columnType: 'text', onMismatch: 'notFound', branded: false }) }",
          ]
        : []),
    ])
      expect(after).toContain(line)
    const again = await adoptIn(folder)
    expect(again).toMatchObject({
      diff: '',
      code: 0,
      counts: { ...counts, adopted: 0, done: counts.adopted },
    })
  },
)

const DECORATED = `@Entity()
export class User {
  @PrimaryKey({ type: 'string', length: 21, fieldName: 'user_id', comment: 'who' })
  id!: string
  @Property({ type: 'string' }) name!: string
  @BeforeCreate()
  prepare() {
    if (!this.id) this.id = 'usr_' + nanoid(17)
    this.name = this.name.trim()
  }
}
abstract class Base {
  @PrimaryKey({ type: 'string', onCreate: () => \`row_\${createId()}\` }) id!: string
}
@Entity()
export class Post extends Base { @ManyToOne(() => User) author!: User; @ManyToMany({ entity: () => User }) readers = new Collection<User>(this) }
@Entity() export class Tag extends Base { @Property({ type: 'string' }) name!: string }
@Entity({ discriminatorColumn: 'kind', discriminatorValue: 'item' })
export class Item { @PrimaryKey({ type: 'uuid' }) id: string = randomUUID(); @ManyToOne(() => Post, { nullable: true }) post?: Post }
@Entity({ discriminatorValue: 'book' })
export class Book extends Item { @ManyToOne(() => Tag, { nullable: true }) tag?: Tag }
@Entity() export class Count { @PrimaryKey({ type: 'integer' }) id!: number }
`

test.each(['legacy', 'es'])('decorated classes, hooks, values and base classes: %s', async (kind) => {
  const files = app(
    // With these, MikroORM declares a key of a custom type again for each child of a table.
    kind === 'es' ? DECORATED.replace(/@Entity.*discriminatorValue: 'book'.*\n.*\n/, '') : DECORATED,
    'sqlite',
    `import { Collection } from '@mikro-orm/core'\nimport { BeforeCreate, Entity, ManyToMany, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/${kind}'`,
  )
  const { after, adopted, kept, left, counts, code, checked, faults, folder } = await adopt(
    kind === 'es' ? { ...files, 'tsconfig.json': '{}' } : files,
  )
  expect({ code, left, checked, faults }).toEqual({ code: 0, left: [], checked: true, faults: [] })
  expect(adopted.map(({ name, pattern, text }) => `${name} ${text} ${pattern}`).sort()).toEqual(
    [
      'User.id opaque, nanoid(17) usr_[0-9A-Z_a-z-]{17}',
      'Post.id opaque, createId() row_[a-z0-9]{24}',
      'Tag.id opaque, createId() row_[a-z0-9]{24}',
      'Post.author User.id usr_[0-9A-Z_a-z-]{17}',
      'post_readers.Post_owner Post.id row_[a-z0-9]{24}',
      'post_readers.User_inverse User.id usr_[0-9A-Z_a-z-]{17}',
      'Item.id opaque, randomUUID() [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
      'Item.post Post.id row_[a-z0-9]{24}',
      ...(kind === 'legacy' ? ['Item.tag Tag.id row_[a-z0-9]{24}'] : []),
    ].sort(),
  )
  expect(kept.map(({ name }) => name)).toEqual(['Count.id'])
  for (const line of [
    "@PrimaryKey(idProperty(usrId, { fieldName: 'user_id', comment: 'who', onMismatch: 'notFound', branded: false }))\n  id!: string",
    "class Tag extends Base { @PrimaryKey(idProperty(rowId, { onMismatch: 'notFound', branded: false })) override id: string = rowId.generate(); @Property",
    "@PrimaryKey(idProperty(itemId, { onMismatch: 'notFound', branded: false })) id: string = randomUUID();",
  ])
    expect(after).toContain(line)
  expect(after).toContain('abstract class Base {\n  id!: string')
  const again = await adoptIn(folder)
  expect(again).toMatchObject({ diff: '', code: 0, counts: { ...counts, adopted: 0, done: counts.adopted } })
})

test('a base class of another file, whose decorator and types only that imports', async () => {
  const { read, adopted, left, code, checked, faults } = await adopt({
    ...app(
      "@Entity()\nexport class User extends Base { @Property({ type: 'string' }) name!: string }\n",
      'sqlite',
      "import { Entity, Property } from '@mikro-orm/decorators/legacy'\nimport { Base } from './base.js'",
    ),
    'base.ts': `import { type Opt, t } from '@mikro-orm/core'
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy'
import { createId } from '@paralleldrive/cuid2'
export abstract class Base {
  @PrimaryKey({ type: 'string' }) id: string & Opt = createId()
  @Property({ type: t.datetime }) createdAt: Date & Opt = new Date(0)
}
`,
  })
  expect({ code, left, checked, faults }).toEqual({ code: 0, left: [], checked: true, faults: [] })
  expect(adopted.map(({ name }) => name)).toEqual(['User.id'])
  for (const line of [
    "import { PrimaryKey } from '@mikro-orm/decorators/legacy'",
    "import { type Opt } from '@mikro-orm/core'",
    'override id: string & Opt = createId(); @Property',
  ])
    expect(read('entities.ts')).toContain(line)
  expect(read('base.ts')).toContain("import { Property } from '@mikro-orm/decorators/legacy'")
})

const USER =
  "export const User = defineEntity({ name: 'User', properties: { id: p.string().primary().onCreate(() => nanoid()) } })\n"

test.each([
  [
    'passed to init(), which does nothing',
    "import { MikroORM } from '@mikro-orm/sqlite'\nimport { User } from './entities.js'\nexport const orm = MikroORM.init({ dbName: 'app', entities: [User] }).then(() => process.exit(7))\n",
  ],
  [
    'without a driver and a database',
    "import type { Options } from '@mikro-orm/sqlite'\nimport { User } from './entities.js'\nconst config: Options = { dbName: process.env['NO_SUCH_NAME'], entities: [User] }\nexport default config\n",
  ],
  [
    'of an instance',
    "import { MikroORM } from '@mikro-orm/sqlite'\nimport { User } from './entities.js'\nexport const orm = new MikroORM({ dbName: ':memory:', entities: [User] })\n",
  ],
])('a configuration %s', async (_, text) => {
  const { 'entities.ts': entities } = app(USER, 'sqlite')
  const told = await adopt({ 'entities.ts': entities, 'orm.ts': text })
  expect(told).toMatchObject({ code: 0, checked: true, adopted: [{ name: 'User.id' }], failures: [] })
})

// Its patterns need Node 22, as MikroORM does.
test.runIf('globSync' in fs)('entities that are named by a pattern', async () => {
  const { 'entities.ts': entities } = app(USER, 'sqlite')
  const told = await adopt({
    'src/user.entity.ts': entities.replaceAll('User =', 'UserSchema ='),
    'mikro-orm.config.ts':
      "import { defineConfig } from '@mikro-orm/sqlite'\nexport default async () => defineConfig({ dbName: 'app', entities: ['./dist/*.entity.js'], entitiesTs: ['./src/*.entity.ts'], baseDir: import.meta.dirname })\n",
  })
  expect(told).toMatchObject({ code: 0, checked: true, adopted: [{ name: 'UserSchema.id' }], failures: [] })
  expect(told.after).toContain('export const userId = opaque(')
})

test('what stays writable only by hand is told', async () => {
  const { left, code, after } = await adopt(
    app(
      `${USER.replace('nanoid()', "'usr_' + Math.random()")}export const Odd = defineEntity({ name: 'Odd', properties: { id: p.string().primary().lazy().onCreate(() => nanoid()) } })
const values = () => ({ id: { type: 'string', primary: true, onCreate: () => nanoid() } as const })
export const Seventh = defineEntity({ name: 'Seventh', properties: { id: p.uuid().primary().defaultRaw('uuidv7()') } })
export const Plain = defineEntity({ name: 'Plain', properties: { ...values(), user: () => p.manyToOne(User), odd: () => p.manyToOne(Odd) } })
`,
      'sqlite',
    ),
  )
  expect(code).toBe(3)
  expect(left.map(({ name, reason }) => [name, reason]).sort()).toEqual([
    ['Odd.id', 'lazy: true is no option of an id property'],
    ['Plain.id', expect.stringMatching(/can't be found: declare it by hand/)],
    ['Plain.odd', 'it refers to Odd.id, which stays as it is'],
    ['Plain.user', 'it refers to User.id, which stays as it is'],
    ['Seventh.id', expect.stringContaining('its DEFAULT generates UUIDv7')],
    ['User.id', expect.stringContaining("write it: --pattern 'User.id=")],
  ])
  expect(after).not.toContain('@snoflax')
})

test('a configuration of all exports would get the definitions, too, and nothing is written', async () => {
  const { 'entities.ts': entities, 'mikro-orm.config.ts': file } = app(USER, 'sqlite')
  const all = file.replace('{ User }', '* as entities').replace('[User]', 'Object.values(entities)')
  const told = await adopt({ 'entities.ts': entities, 'mikro-orm.config.ts': all })
  expect(told).toMatchObject({ code: 1, checked: false, written: false })
  expect(told.faults).toEqual([expect.stringMatching(/mikro-orm\.config\.ts could not be loaded any more: /)])
})

test('without our package the change is not checked', async () => {
  const folder = project(app(USER, 'sqlite'), [
    '@mikro-orm/core',
    '@mikro-orm/sqlite',
    '@paralleldrive/cuid2',
    'nanoid',
    '@snoflax/core',
  ])
  // Without NODE_PATH, by which tests find packages of this repository.
  const ran = await bin(['adopt', 'code', folder, '--json', '--write', '--unchecked'])
  expect(json(ran)).toMatchObject({
    missing: '@snoflax/mikro-orm',
    checked: false,
    faults: [],
    written: false,
  })
})

test('a configuration is needed, which loads, and only one', async () => {
  const { 'entities.ts': entities, 'mikro-orm.config.ts': file } = app(USER, 'sqlite')
  await expect(adoptIn(project({ 'entities.ts': entities }))).rejects.toThrow(
    /entities\.ts: entities of MikroORM without a configuration: pass a module, too, that exports one/,
  )
  const failing = await adopt({
    'entities.ts': entities,
    'mikro-orm.config.ts': file.replace('./entities.js', './none.js'),
  })
  expect(failing).toMatchObject({
    code: 3,
    failures: [
      {
        file: expect.stringMatching(/mikro-orm\.config\.ts$/),
        reason: expect.stringContaining("Cannot find module './none.js'"),
      },
    ],
  })
  const hidden = await adopt({
    'entities.ts': entities,
    'mikro-orm.config.ts': file.replace('export default', 'const one ='),
  })
  expect(hidden).toMatchObject({
    code: 3,
    failures: [{ reason: expect.stringContaining('it exports no configuration') }],
  })
  const other = file.replaceAll('User', 'Other').replace('./entities', './other')
  const two = await adopt({
    'entities.ts': entities,
    'mikro-orm.config.ts': file,
    'other.ts': entities.replaceAll('User', 'Other'),
    'other.config.ts': other,
  })
  expect(two).toMatchObject({
    code: 3,
    failures: [{ reason: 'several configurations: pass the file of one' }],
  })
})
