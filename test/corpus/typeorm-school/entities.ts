import { BaseEntity, Column, CreateDateColumn, DeleteDateColumn, Entity, JoinColumn, JoinTable, ManyToMany, ManyToOne, OneToMany, OneToOne, PrimaryColumn, PrimaryGeneratedColumn, type Relation, Tree, TreeChildren, TreeParent, Unique } from 'typeorm'

export abstract class Row extends BaseEntity {
  @PrimaryGeneratedColumn('uuid') id!: string
  @CreateDateColumn() madeAt!: Date
}
/** Rows of a tenant. */
export abstract class Owned extends Row {
  @Column('uuid', { nullable: true }) schoolId!: string | null
  @ManyToOne(() => School, { onDelete: 'CASCADE' }) school!: Relation<School> | null
}

@Entity() export class School extends Row { @Column('varchar') name!: string }
@Entity()
export class User {
  @PrimaryGeneratedColumn('uuid', { comment: 'who signs in', primaryKeyConstraintName: 'user_key' })
  id!: string
  @Column('varchar') name!: string
  @Column('varchar', { unique: true }) email!: string
  @OneToOne(() => Profile, (profile) => profile.user) profile!: Relation<Profile>
  @OneToMany(() => Essay, (essay) => essay.owner) essays!: Relation<Essay[]>
}
@Entity()
export class Profile {
  @PrimaryColumn('uuid') userId!: string
  @OneToOne(() => User, (user) => user.profile, { onDelete: 'CASCADE' }) @JoinColumn() user!: Relation<User>
  @Column('varchar', { nullable: true }) bio!: string | null
  @Column('simple-json', { nullable: true }) pinned!: string[] | null
}
@Entity() export class Photo { @PrimaryColumn('uuid') profileId!: string; @OneToOne(() => Profile, { onDelete: 'CASCADE' }) @JoinColumn({ referencedColumnName: 'userId' }) profile!: Relation<Profile> }
@Entity()
export class Folder extends Owned {
  @Column('varchar') name!: string
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) owner!: Relation<User>
  @Column('uuid') ownerId!: string
  @ManyToOne(() => Folder, { nullable: true, onDelete: 'SET NULL' }) parent!: Relation<Folder> | null
  @Column('uuid', { nullable: true }) parentId!: string | null
}
@Entity() export class Tag extends Owned { @Column('varchar', { unique: true }) name!: string }
@Entity()
export class Essay extends Owned {
  @Column('varchar') title!: string
  @Column('varchar', { default: '' }) body!: string
  @Column('int') createdAt!: number
  @DeleteDateColumn() deletedAt!: Date | null
  @ManyToOne(() => User, (user) => user.essays, { onDelete: 'CASCADE' }) owner!: Relation<User>
  @Column('uuid') ownerId!: string
  @ManyToOne(() => Folder, { onDelete: 'SET NULL' }) folder!: Relation<Folder> | null
  @Column('uuid', { nullable: true }) folderId!: string | null
  @ManyToMany(() => Tag) @JoinTable() tags!: Relation<Tag[]>
}
@Entity()
export class Share {
  @PrimaryColumn('uuid') essayId!: string
  @PrimaryColumn('uuid') userId!: string
  @ManyToOne(() => Essay, { onDelete: 'CASCADE' }) essay!: Relation<Essay>
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User>
}
@Entity()
export class Reaction extends Row {
  @Column('varchar') emoji!: string
  @Column('uuid') essayId!: string
  @Column('uuid') userId!: string
  @ManyToOne(() => Share, { onDelete: 'CASCADE' }) @JoinColumn([{ name: 'essayId', referencedColumnName: 'essayId' }, { name: 'userId', referencedColumnName: 'userId' }]) share!: Relation<Share>
}
@Entity() @Tree('closure-table') export class Topic extends Row { @Column('varchar') name!: string; @TreeChildren() children!: Topic[]; @TreeParent() parent!: Topic | null }
@Entity() export class Teacher extends Owned { @OneToOne(() => User) @JoinColumn({ name: 'user_id' }) user!: Relation<User>; @ManyToMany(() => Topic) @JoinTable({ name: 'teaches' }) topics!: Relation<Topic[]> }
@Entity() export class Student extends Owned { @OneToOne(() => User) @JoinColumn() user!: Relation<User>; @ManyToOne(() => Teacher) mentor!: Relation<Teacher> | null }
@Entity() export class Guardian { @PrimaryColumn('uuid') studentId!: string; @PrimaryColumn('uuid') userId!: string; @ManyToOne(() => Student, { onDelete: 'CASCADE' }) student!: Relation<Student>; @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User> }
@Entity() export class Course extends Owned { @ManyToOne(() => Topic) topic!: Relation<Topic>; @ManyToOne(() => Teacher) teacher!: Relation<Teacher>; @ManyToMany(() => Course) @JoinTable() requires!: Relation<Course[]> }
@Entity() export class Term extends Owned { @Column('varchar') name!: string }
@Entity() export class Section extends Owned { @ManyToOne(() => Course) course!: Relation<Course>; @ManyToOne(() => Term) term!: Relation<Term>; @Column('int') number!: number }
@Entity() export class Enrolment { @PrimaryColumn('uuid') sectionId!: string; @PrimaryColumn('uuid') studentId!: string; @ManyToOne(() => Section) section!: Relation<Section>; @ManyToOne(() => Student) student!: Relation<Student> }
@Entity() export class Absence extends Row { @ManyToOne(() => Enrolment) @JoinColumn([{ name: 'section', referencedColumnName: 'sectionId' }, { name: 'student', referencedColumnName: 'studentId' }]) enrolment!: Relation<Enrolment> }
@Entity() export class Room extends Owned { @Column('varchar') name!: string }
@Entity() export class Lesson extends Owned { @ManyToOne(() => Section) section!: Relation<Section>; @ManyToOne(() => Room) room!: Relation<Room> | null; @Column('int') starts!: number }
@Entity() export class Exam extends Owned { @ManyToOne(() => Section) section!: Relation<Section> }
@Entity() @Unique(['examId', 'studentId']) export class Grade extends Row { @ManyToOne(() => Exam) exam!: Relation<Exam>; @Column('uuid', { nullable: true }) examId!: string; @ManyToOne(() => Student) student!: Relation<Student>; @Column('uuid', { nullable: true }) studentId!: string }
@Entity() export class Appeal { @PrimaryColumn('uuid') gradeId!: string; @OneToOne(() => Grade) @JoinColumn({ name: 'gradeId' }) grade!: Relation<Grade> }
@Entity() export class Remark extends Row { @ManyToOne(() => Essay, { onDelete: 'CASCADE' }) essay!: Relation<Essay>; @ManyToOne(() => Remark) replyTo!: Relation<Remark> | null; @ManyToOne(() => User) author!: Relation<User> }
@Entity() export class Message extends Row { @ManyToOne(() => User) sender!: Relation<User>; @ManyToMany(() => User) @JoinTable({ name: 'message_reader' }) readers!: Relation<User[]> }
@Entity() export class Device { @PrimaryColumn('varchar') serial!: string; @ManyToOne(() => User) user!: Relation<User> }
@Entity() export class Session extends Row { @ManyToOne(() => Device) device!: Relation<Device>; @ManyToOne(() => User) user!: Relation<User> }
@Entity() export class Fee { @PrimaryGeneratedColumn() id!: number; @ManyToOne(() => Student) student!: Relation<Student> }
@Entity() export class Payment extends Row { @ManyToOne(() => Fee) fee!: Relation<Fee>; @ManyToOne(() => Guardian) @JoinColumn([{ name: 'student', referencedColumnName: 'studentId' }, { name: 'payer', referencedColumnName: 'userId' }]) payer!: Relation<Guardian> }
@Entity() export class Bus extends Owned { @Column('varchar') line!: string }
@Entity() export class Seat { @PrimaryColumn('uuid') busId!: string; @PrimaryColumn('int') number!: number; @ManyToOne(() => Bus) bus!: Relation<Bus>; @ManyToOne(() => Student) student!: Relation<Student> | null }
@Entity() export class Audit { @PrimaryGeneratedColumn() id!: number; @Column('uuid', { nullable: true }) actorId!: string | null; @Column('varchar') targetId!: string }

export const entities = [School, User, Profile, Photo, Folder, Tag, Essay, Share, Reaction, Topic, Teacher, Student, Guardian, Course, Term, Section, Enrolment, Absence, Room, Lesson, Exam, Grade, Appeal, Remark, Message, Device, Session, Fee, Payment, Bus, Seat, Audit]
