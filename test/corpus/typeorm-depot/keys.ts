import { nanoid } from 'nanoid'
import { BeforeInsert, CreateDateColumn, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm'

/** `org_V1StGXR8_Z5jdHi6B-myT`, made when the row is inserted. */
export const Key = (prefix: string): PropertyDecorator => (target, property) => {
  PrimaryColumn('varchar', { length: 40 })(target, property)
  const setter = `make ${String(property)}`
  Object.defineProperty(target, setter, { value(this: Record<PropertyKey, string>) { this[property] ??= `${prefix}_${nanoid()}` } })
  BeforeInsert()(target, setter)
}
export const Uuid = () => PrimaryGeneratedColumn('uuid')

export abstract class Row {
  @PrimaryGeneratedColumn('uuid') id!: string
  @CreateDateColumn() madeAt!: Date
}
