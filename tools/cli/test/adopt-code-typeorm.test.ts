import { expect, test } from 'vitest'
import { adopt, adoptIn, project } from './adopting.js'

const SOURCE = `import 'reflect-metadata'
import { DataSource } from 'typeorm'
import * as entities from './entities.js'
export const source = new DataSource({ type: 'better-sqlite3', database: ':memory:', entities })
`
const TYPEORM =
  "import { BeforeInsert, ChildEntity, Column, Entity, JoinColumn, ManyToMany, ManyToOne, JoinTable, OneToOne, PrimaryColumn, PrimaryGeneratedColumn, TableInheritance, type Relation } from 'typeorm'\n"
const NANOID = "import { nanoid } from 'nanoid'\n"

const app = (entities: string, lines = NANOID) => ({
  'entities.ts': `${TYPEORM}${lines}${entities}`,
  'source.ts': SOURCE,
})

test('keys that a class generates, or TypeORM; relations follow, and types stay', async () => {
  const { after, adopted, kept, left, counts, code, checked, folder } = await adopt(
    app(`@Entity()
export class User {
  @PrimaryColumn('varchar', { length: 21, name: 'user_id', comment: 'who' })
  id!: string
  @Column('varchar') name!: string
  @BeforeInsert()
  prepare() {
    if (!this.id) this.id = 'usr_' + nanoid(17)
    this.name = this.name.trim()
  }
}
@Entity() export class Post { @PrimaryColumn() id: string = nanoid(); @ManyToOne(() => User) author!: Relation<User>; @ManyToOne(() => User) @JoinColumn({ name: 'editor' }) editor!: Relation<User>; @Column({ length: 21 }) editorId!: string }
@Entity() export class Note { @PrimaryGeneratedColumn('uuid') id!: string; @ManyToMany(() => User) @JoinTable() readers!: Relation<User[]> }
@Entity() export class Profile { @PrimaryColumn('varchar', { length: 21 }) userId!: string; @OneToOne(() => User) @JoinColumn({ name: 'userId' }) user!: Relation<User> }
@Entity() export class Count { @PrimaryGeneratedColumn() id!: number }
@Entity() export class Plan { @PrimaryColumn('varchar') name!: string }
`),
  )
  expect({ code, left, checked }).toEqual({ code: 0, left: [], checked: true })
  expect(adopted.map(({ kind, name, pattern }) => [kind, name, pattern])).toEqual([
    ['key', 'User.id', 'usr_[0-9A-Z_a-z-]{17}'],
    ['key', 'Post.id', '[0-9A-Z_a-z-]{21}'],
    ['key', 'Note.id', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
    ...[
      'Post.author.id',
      'Post.editor.id',
      'Profile.userId',
      'note_readers_user.noteId',
      'note_readers_user.userUserId',
    ].map((name) => ['reference', name, expect.any(String)]),
  ])
  expect(kept.map(({ name }) => name)).toEqual(['Count.id', 'Plan.name'])
  expect(counts).toEqual({ tables: 7, keys: 5, references: 5, adopted: 8, done: 0, kept: 2, left: 0 })
  for (const line of [
    "export const usrId = opaque('usr', { pattern: /usr_[0-9A-Z_a-z-]{17}/, generate: () => 'usr_' + nanoid(17) })",
    "@IdColumn(usrId, { name: 'user_id', comment: 'who', type: 'varchar', length: 21, onMismatch: 'notFound', branded: false })",
    "if (!this.id) this.id = 'usr_' + nanoid(17)",
    "@IdColumn(postId, { type: 'varchar', onMismatch: 'notFound', branded: false }) id: string = nanoid(); @ManyToOne(() => User) author",
    "@IdColumn(noteId, { type: 'uuid', generated: 'uuid', branded: false }) id!: string; @ManyToMany",
    "@PrimaryColumn('varchar', { length: 21 }) userId!: string",
  ])
    expect(after).toContain(line)
  const again = await adoptIn(folder)
  expect(again).toMatchObject({ diff: '', code: 0, counts: { ...counts, adopted: 0, done: 8 } })
})

test('a key of a base class is declared in each of its entities', async () => {
  const { after, read, adopted, code, checked, left, failures } = await adopt({
    'entities.ts': `${TYPEORM}import { Base } from './base.js'
@Entity() export class Tag extends Base { @Column('varchar') name!: string }
@Entity()
export class Shop extends Base {
  @ManyToOne(() => Tag) tag!: Relation<Tag>
}
@Entity() @TableInheritance({ column: { name: 'kind', type: 'varchar' } }) export class Item extends Base {}
@ChildEntity() export class Book extends Item { @ManyToOne(() => Shop) shop!: Relation<Shop> }
`,
    'base.ts': `${NANOID}import { BeforeInsert, PrimaryColumn } from 'typeorm'
export abstract class Base {
  @PrimaryColumn({ type: 'varchar', length: 30 })
  id!: string
  @BeforeInsert() generate() { this.id ??= nanoid() }
}
`,
    'source.ts': SOURCE,
  })
  expect({ code, checked, left, failures }).toEqual({ code: 0, checked: true, left: [], failures: [] })
  expect(adopted.map(({ name }) => name)).toEqual([
    'Tag.id',
    'Shop.id',
    'Item.id',
    'Shop.tag.id',
    'Item.shop.id',
  ])
  expect(after).toContain(
    "class Tag extends Base { @IdColumn(tagId, { type: 'varchar', length: 30, onMismatch: 'notFound', branded: false }) override id!: string; @Column",
  )
  expect(after).toContain("import { nanoid } from 'nanoid'")
  expect(read('base.ts')).not.toContain('@PrimaryColumn')
})

test('a key of a mixin is declared in each of its entities, with the value that the mixin gave it', async () => {
  const { read, adopted, code, checked, left, faults } = await adopt({
    'entities.ts': `${TYPEORM}import { WithId, WithKey, WithPrefix } from './mixins.js'
@Entity() export class Tag extends WithId { @Column('varchar') name!: string }
@Entity() export class Shop extends WithId { @ManyToOne(() => Tag) tag!: Relation<Tag> }
@Entity() export class Run extends WithKey { @Column('varchar') name!: string }
@Entity() export class Bill extends WithPrefix { @Column('varchar') name!: string }
`,
    'mixins.ts': `import { BeforeInsert, Column, PrimaryColumn } from 'typeorm'
import { generateId } from './ids.js'
type Class = new (...given: any[]) => object
function withId<Base extends Class>(base: Base) {
  class Derived extends base {
    @PrimaryColumn('varchar')
    id!: string
    @BeforeInsert() generate() { if (!this.id) this.id = generateId() }
  }
  return Derived
}
function withNote<Base extends Class>(base: Base) {
  class Derived extends base { @Column('varchar', { nullable: true }) note!: string | null }
  return Derived
}
function withKey<Base extends Class>(base: Base) {
  class Keyed extends base { @PrimaryColumn('varchar') id: string = generateId() }
  return Keyed
}
function withPrefix<Base extends Class>(base: Base, prefix: string) {
  class Prefixed extends base { @PrimaryColumn('varchar') id: string = prefix + generateId() }
  return Prefixed
}
export const WithId = withId(withNote(class {}))
export const WithKey = withKey(class {})
export const WithPrefix = withPrefix(class {}, 'bill_')
`,
    'ids.ts': `${NANOID}export const generateId = () => nanoid(16)\n`,
    'source.ts': SOURCE,
  })
  expect({ code, checked, faults }).toEqual({ code: 3, checked: true, faults: [] })
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['Bill.id', expect.stringContaining("what generates it isn't a statement of its class")],
  ])
  expect(adopted.map(({ name }) => name)).toEqual(['Tag.id', 'Shop.id', 'Run.id', 'Shop.tag.id'])
  expect(read('entities.ts')).toContain("import { generateId } from './ids.js'")
  expect(read('entities.ts')).toMatch(/@IdColumn\(tagId, .*\) override id!: string; @Column/)
  expect(read('entities.ts')).toMatch(/@IdColumn\(runId, .*\) override id: string = generateId\(\); @Column/)
  expect(read('mixins.ts').match(/@PrimaryColumn/g)).toHaveLength(1)
})

test('what stays writable only by hand is told', async () => {
  const { left, code, after } = await adopt({
    ...app(`import { Key } from './key.js'
@Entity() export class Org { @Key('org') id!: string }
@Entity() export class Odd { @PrimaryColumn('varchar', { transformer: { from: (one) => one, to: (one) => one } }) id: string = nanoid() }
abstract class Row { @PrimaryColumn('varchar') id: string = 'row_' + Math.random() }
@Entity() export class Loose extends Row { @ManyToOne(() => Org) org!: Relation<Org> }
`),
    'key.ts': `${NANOID}import { BeforeInsert, PrimaryColumn } from 'typeorm'
export const Key = (prefix: string): PropertyDecorator => (target, property) => {
  PrimaryColumn('varchar', { length: 40 })(target, property)
  Object.defineProperty(target, 'make', { value(this: Record<PropertyKey, string>) { this[property] ??= \`\${prefix}_\${nanoid()}\` } })
  BeforeInsert()(target, 'make')
}
`,
  })
  expect(code).toBe(3)
  expect(left.map(({ name, reason }) => [name, reason])).toEqual([
    ['Loose.id', expect.stringContaining("write it: --pattern 'Loose.id=")],
    ['Org.id', expect.stringContaining('a decorator of your own declares it')],
    ['Odd.id', expect.stringContaining('is no option of an id column')],
    ['Loose.org.id', 'it refers to Org.id, which stays as it is'],
  ])
  expect(after).not.toContain('@snoflax')
})

test('a data source is needed, and only one', async () => {
  const entity = `${TYPEORM}@Entity() export class User { @PrimaryGeneratedColumn('uuid') id!: string }\n`
  await expect(adoptIn(project({ 'user.entity.ts': entity }))).rejects.toThrow(
    /user\.entity\.ts: entities of TypeORM without a DataSource: pass a module, too, that exports a DataSource/,
  )
  const hidden = await adopt({ 'entities.ts': entity, 'source.ts': SOURCE.replace('export const', 'const') })
  expect(hidden).toMatchObject({
    code: 3,
    failures: [{ reason: 'it exports no DataSource: export the one that it creates' }],
  })
})
