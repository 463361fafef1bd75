import { Column, DeleteDateColumn, Entity, JoinColumn, JoinTable, ManyToMany, ManyToOne, OneToOne, PrimaryColumn, type Relation } from 'typeorm'
import { Key, Row, Uuid } from './keys.js'

@Entity()
export class User {
  @Key('usr') id!: string
  @Column('varchar') name!: string
  @Column('varchar', { unique: true }) email!: string
  @OneToOne(() => Profile, (profile) => profile.user) profile!: Relation<Profile>
}
@Entity() export class Org { @Key('org') id!: string; @Column('varchar') name!: string; @ManyToOne(() => User, { onDelete: 'CASCADE' }) owner!: Relation<User> }
@Entity() export class Member extends Row { @ManyToOne(() => Org, { onDelete: 'CASCADE' }) org!: Relation<Org>; @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User> }
/** A row for each user, under the user's key, and one for each of those. */
@Entity()
export class Profile {
  @PrimaryColumn('varchar', { length: 40 }) userId!: string
  @OneToOne(() => User, (user) => user.profile, { onDelete: 'CASCADE' }) @JoinColumn() user!: Relation<User>
  @Column('varchar', { nullable: true }) bio!: string | null
  @Column('simple-json', { nullable: true }) pinned!: string[] | null
}
@Entity() export class Quota { @PrimaryColumn('varchar', { length: 40 }) profileId!: string; @OneToOne(() => Profile, { onDelete: 'CASCADE' }) @JoinColumn({ name: 'profileId', referencedColumnName: 'userId' }) profile!: Relation<Profile>; @Column('int') bytes!: number }
@Entity()
export class Folder extends Row {
  @Column('varchar') name!: string
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) owner!: Relation<User>
  @Column('varchar', { length: 40 }) ownerId!: string
  @ManyToOne(() => Folder, { nullable: true, onDelete: 'SET NULL' }) parent!: Relation<Folder> | null
  @Column('uuid', { nullable: true }) parentId!: string | null
}
@Entity() export class Tag { @Uuid() id!: string; @Column('varchar', { unique: true }) name!: string }
@Entity()
export class Post {
  @Key('post') id!: string
  @Column('varchar') title!: string
  @Column('varchar', { default: '' }) body!: string
  @Column('int') createdAt!: number
  @DeleteDateColumn() deletedAt!: Date | null
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) owner!: Relation<User>
  @Column('varchar', { length: 40 }) ownerId!: string
  @ManyToOne(() => Folder, { onDelete: 'SET NULL' }) folder!: Relation<Folder> | null
  @Column('uuid', { nullable: true }) folderId!: string | null
  @ManyToMany(() => Tag) @JoinTable() tags!: Relation<Tag[]>
}
@Entity()
export class Share {
  @PrimaryColumn('varchar', { length: 40 }) postId!: string
  @PrimaryColumn('varchar', { length: 40 }) userId!: string
  @ManyToOne(() => Post, { onDelete: 'CASCADE' }) post!: Relation<Post>
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User>
}
@Entity()
export class Reaction extends Row {
  @Column('varchar') emoji!: string
  @Column('varchar', { length: 40 }) postId!: string
  @Column('varchar', { length: 40 }) userId!: string
  @ManyToOne(() => Share, { onDelete: 'CASCADE' }) @JoinColumn([{ name: 'postId', referencedColumnName: 'postId' }, { name: 'userId', referencedColumnName: 'userId' }]) share!: Relation<Share>
}

export const entities = [User, Org, Member, Profile, Quota, Folder, Tag, Post, Share, Reaction]
