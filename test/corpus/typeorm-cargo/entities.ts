import { createId } from '@paralleldrive/cuid2'
import { nanoid } from 'nanoid'
import { BeforeInsert, Column, DeleteDateColumn, Entity, Index, JoinColumn, JoinTable, ManyToMany, ManyToOne, OneToMany, OneToOne, PrimaryColumn, PrimaryGeneratedColumn, type Relation, Unique } from 'typeorm'

/** What most tables have. */
abstract class Base {
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string

  @BeforeInsert()
  generateId() {
    this.id ??= createId()
  }
}

@Entity()
export class User extends Base {
  @Column('varchar') name!: string
  @Column('varchar', { unique: true }) email!: string
  @OneToOne(() => Profile, (profile) => profile.user) profile!: Relation<Profile>
  @OneToMany(() => Parcel, (parcel) => parcel.owner) parcels!: Relation<Parcel[]>
}
@Entity()
export class Profile {
  @PrimaryColumn('varchar') userId!: string
  @OneToOne(() => User, (user) => user.profile, { onDelete: 'CASCADE' }) @JoinColumn({ name: 'userId' }) user!: Relation<User>
  @Column('varchar', { nullable: true }) bio!: string | null
  @Column('simple-json', { nullable: true }) pinned!: string[] | null
}
@Entity()
export class Badge {
  @PrimaryColumn('varchar') userId!: string
  @OneToOne(() => Profile, { onDelete: 'CASCADE' }) @JoinColumn({ name: 'userId', referencedColumnName: 'userId' }) profile!: Relation<Profile>
}
@Entity() export class Session { @PrimaryColumn('varchar') id!: string; @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User> }
@Entity() export class Token { @PrimaryColumn('varchar') id: string = nanoid(); @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User> }
@Entity()
export class Folder extends Base {
  @Column('varchar') name!: string
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) @JoinColumn({ name: 'owner_id' }) owner!: Relation<User>
  @Column('varchar', { name: 'owner_id' }) ownerId!: string
  @ManyToOne(() => Folder, { nullable: true, onDelete: 'SET NULL' }) parent!: Relation<Folder> | null
  @Column('varchar', { nullable: true }) parentId!: string | null
}
@Entity()
export class Tag extends Base { @Column('varchar', { unique: true }) name!: string }
@Entity()
export class Parcel extends Base {
  @Column('varchar') title!: string
  @Column('varchar', { default: '' }) body!: string
  @Index() @Column('int') createdAt!: number
  @DeleteDateColumn() deletedAt!: Date | null
  @ManyToOne(() => User, (user) => user.parcels, { onDelete: 'CASCADE' }) owner!: Relation<User>
  @Column('varchar') ownerId!: string
  @ManyToOne(() => Folder, { onDelete: 'SET NULL' }) folder!: Relation<Folder> | null
  @Column('varchar', { nullable: true }) folderId!: string | null
  @ManyToMany(() => Tag) @JoinTable({ name: 'parcel_tag' }) tags!: Relation<Tag[]>
}
@Entity()
export class Share {
  @PrimaryColumn('varchar') parcelId!: string
  @PrimaryColumn('varchar') userId!: string
  @ManyToOne(() => Parcel, { onDelete: 'CASCADE' }) parcel!: Relation<Parcel>
  @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User>
}
@Entity()
export class Reaction {
  @PrimaryColumn('varchar') id!: string
  @BeforeInsert() prepare() {
    if (!this.id) this.id = `rea_${nanoid(12)}`
    this.emoji = this.emoji.trim()
  }
  @Column('varchar') emoji!: string
  @Column('varchar') parcelId!: string
  @Column('varchar') userId!: string
  @ManyToOne(() => Share, { onDelete: 'CASCADE' }) @JoinColumn([{ name: 'parcelId', referencedColumnName: 'parcelId' }, { name: 'userId', referencedColumnName: 'userId' }]) share!: Relation<Share>
}
@Entity() export class Note extends Base { @ManyToOne(() => Parcel, { onDelete: 'CASCADE' }) parcel!: Relation<Parcel>; @ManyToOne(() => Note) replyTo!: Relation<Note> | null; @Column('varchar') text!: string }
@Entity() export class Revision { @PrimaryColumn('varchar') parcelId!: string; @PrimaryColumn('int') number!: number; @ManyToOne(() => Parcel, { onDelete: 'CASCADE' }) parcel!: Relation<Parcel> }
@Entity() export class Depot extends Base { @Column('varchar') city!: string; @ManyToOne(() => Depot) hub!: Relation<Depot> | null }
@Entity() export class Dock { @PrimaryColumn('varchar') depotId!: string; @PrimaryColumn('int') number!: number; @ManyToOne(() => Depot) depot!: Relation<Depot> }
@Entity() export class Berth extends Base { @ManyToOne(() => Dock) @JoinColumn([{ name: 'depot', referencedColumnName: 'depotId' }, { name: 'dock', referencedColumnName: 'number' }]) dock!: Relation<Dock> }
@Entity() export class Driver extends Base { @OneToOne(() => User) @JoinColumn() user!: Relation<User>; @ManyToOne(() => Depot) depot!: Relation<Depot> }
@Entity() export class Licence { @PrimaryGeneratedColumn() id!: number; @ManyToOne(() => Driver) driver!: Relation<Driver> }
@Entity() export class Truck extends Base { @ManyToMany(() => Driver) @JoinTable() drivers!: Relation<Driver[]>; @Column('varchar', { unique: true }) plate!: string }
@Entity() export class Tour extends Base { @ManyToOne(() => Truck) truck!: Relation<Truck>; @ManyToOne(() => Driver) driver!: Relation<Driver> }
@Entity() export class Stop { @PrimaryColumn('varchar') tourId!: string; @PrimaryColumn('int') position!: number; @ManyToOne(() => Tour, { onDelete: 'CASCADE' }) tour!: Relation<Tour>; @ManyToOne(() => Depot) depot!: Relation<Depot> }
@Entity() export class Load extends Base { @ManyToOne(() => Stop) stop!: Relation<Stop>; @ManyToOne(() => Parcel) parcel!: Relation<Parcel> }
@Entity() export class Customer extends Base { @Column('varchar') company!: string; @ManyToOne(() => Customer) parent!: Relation<Customer> | null }
@Entity() export class Contract extends Base { @ManyToOne(() => Customer) customer!: Relation<Customer>; @ManyToMany(() => Depot) @JoinTable() depots!: Relation<Depot[]> }
@Entity() export class Rate { @PrimaryColumn('varchar') contractId!: string; @PrimaryColumn('varchar') zone!: string; @ManyToOne(() => Contract) contract!: Relation<Contract> }
@Entity() export class Invoice extends Base { @ManyToOne(() => Contract) contract!: Relation<Contract>; @Column('int') number!: number }
@Entity() export class InvoiceLine { @PrimaryGeneratedColumn() id!: number; @ManyToOne(() => Invoice) invoice!: Relation<Invoice>; @ManyToOne(() => Parcel) parcel!: Relation<Parcel> | null }
@Entity() export class Payment { @PrimaryColumn('varchar') id!: string; @ManyToOne(() => Invoice) invoice!: Relation<Invoice> }
@Entity() export class Claim extends Base { @OneToOne(() => Parcel) @JoinColumn({ name: 'parcel_id' }) parcel!: Relation<Parcel>; @Column('varchar', { nullable: true, name: 'parcel_id' }) parcelId!: string }
@Entity() @Unique(['claimId', 'name']) export class Photo extends Base { @ManyToOne(() => Claim) claim!: Relation<Claim>; @Column('varchar', { nullable: true }) claimId!: string; @Column('varchar') name!: string }
@Entity() export class Scan { @PrimaryGeneratedColumn('increment') id!: number; @Column('varchar') subjectId!: string }
@Entity() export class Webhook extends Base { @Column('varchar') url!: string }
@Entity() export class Delivery extends Base { @ManyToOne(() => Webhook, { onDelete: 'CASCADE' }) webhook!: Relation<Webhook> }
@Entity() export class Consent { @PrimaryColumn('varchar') userId!: string; @PrimaryColumn('varchar') kind!: string; @ManyToOne(() => User, { onDelete: 'CASCADE' }) user!: Relation<User> }

export const entities = [User, Profile, Badge, Session, Token, Folder, Tag, Parcel, Share, Reaction, Note, Revision, Depot, Dock, Berth, Driver, Licence, Truck, Tour, Stop, Load, Customer, Contract, Rate, Invoice, InvoiceLine, Payment, Claim, Photo, Scan, Webhook, Delivery, Consent]
