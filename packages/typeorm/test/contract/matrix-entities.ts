import type { Keyed, Log, Mode } from '@snoflax/test/contract'
import { IdColumn } from '@snoflax/typeorm'
import {
  AfterInsert,
  AfterLoad,
  AfterRecover,
  AfterRemove,
  AfterSoftRemove,
  AfterUpdate,
  BeforeInsert,
  BeforeSoftRemove,
  BeforeUpdate,
  Column,
  DeleteDateColumn,
  Entity,
  type EntitySubscriberInterface,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  type ObjectLiteral,
  OneToMany,
  PrimaryColumn,
  type Relation,
  RelationId,
} from 'typeorm'

const EVENTS = [
  'beforeInsert',
  'afterInsert',
  'beforeUpdate',
  'afterUpdate',
  'beforeRemove',
  'afterRemove',
  'beforeSoftRemove',
  'afterSoftRemove',
  'beforeRecover',
  'afterRecover',
  'afterLoad',
] as const
const LISTENERS = {
  AfterLoad,
  BeforeInsert,
  AfterInsert,
  BeforeUpdate,
  AfterUpdate,
  AfterRemove,
  BeforeSoftRemove,
  AfterSoftRemove,
  AfterRecover,
}

export function entitiesOf({ ids }: Mode, log: Log, isSqlite: boolean): (new () => object)[] {
  const Key = (keyed: Keyed): PropertyDecorator =>
    ids
      ? (IdColumn(ids.of[keyed], { storage: ids.storage as never }) as PropertyDecorator)
      : PrimaryColumn({ type: 'varchar', length: 40 })
  const Text = () => Column({ type: 'varchar', length: 40 })

  @Entity('people')
  class Person {
    @Key('people') id!: string
    @Text() email!: string
    @Text() name!: string
    @ManyToOne(() => Person, { nullable: true, cascade: ['insert'] })
    @JoinColumn({ name: 'boss_id' })
    boss!: Relation<Person> | null
    @DeleteDateColumn({ name: 'gone_at', type: isSqlite ? 'datetime' : 'timestamp' }) goneAt!: Date | null
    @OneToMany(() => Post, 'author', { cascade: true }) posts!: Relation<Post>[]
  }
  @Entity('posts')
  class Post {
    @Key('posts') id!: string
    @Text() title!: string
    @Column('int') likes!: number
    @ManyToOne(() => Person, 'posts', { nullable: false, onDelete: 'CASCADE', cascade: ['insert'] })
    @JoinColumn({ name: 'author_id' })
    author!: Relation<Person>
    @RelationId((one: Post) => one.author) authorId!: string
    @ManyToMany(() => Tag, { cascade: true })
    @JoinTable({
      name: 'posts_tags',
      joinColumn: { name: 'post_id' },
      inverseJoinColumn: { name: 'tag_id' },
    })
    tags!: Relation<Tag>[]
  }
  @Entity('tags')
  class Tag {
    @Key('tags') id!: string
    @Text() label!: string
  }
  for (const [name, decorate] of Object.entries(LISTENERS)) {
    const happened = function (this: object) {
      log('event', [`on ${name}`, 'Person', copyOf(this)])
    }
    Object.assign(Person.prototype, { [name]: happened })
    decorate()(Person.prototype, name)
  }
  return [Person, Post, Tag]
}

/** Of an entity, or of a key, by which TypeORM loads some. An increment is a function. */
const copyOf = (entity: unknown) =>
  typeof entity === 'object'
    ? JSON.parse(
        JSON.stringify(entity, (name, value) =>
          typeof value === 'function' ? 'SQL' : name === 'goneAt' && value ? 'a date' : value,
        ),
      )
    : entity

export const subscriberOf = (log: Log): EntitySubscriberInterface =>
  Object.fromEntries(
    EVENTS.map((name) => [
      name,
      (event: ObjectLiteral, loaded?: ObjectLiteral) => {
        const { metadata, entity, updatedColumns } = name === 'afterLoad' ? (loaded as ObjectLiteral) : event
        const changed = updatedColumns?.map(({ propertyPath }: ObjectLiteral) => propertyPath as string)
        log('event', [`on ${name}`, metadata.name, copyOf(entity), changed])
      },
    ]),
  )
