import 'reflect-metadata'
import { flake } from '@snoflax/core'
import { type Adoptable, describeOrm, type OldKeys } from '@snoflax/test/adoption'
import * as snoflax from '@snoflax/typeorm'
import { prepareDataSource } from '@snoflax/typeorm'
import * as typeorm from 'typeorm'
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { optionsFor } from './open-data-source.js'

const TIME = { postgres: 'timestamptz', sqlite: 'datetime', mysql: 'datetime' }

const OLD_KEYS = {
  counted: '@PrimaryGeneratedColumn() id!: number',
  text: "@PrimaryColumn('varchar', { length: 30 }) id!: string",
  uuid: "@PrimaryGeneratedColumn('uuid') id!: string",
}

/** The generator that a file of entities imports. */
const generator = flake.generator({ worker: 1 })

/** A column of such keys without a foreign key. */
const oldGift = (kind: Adoptable['kind'], keys: OldKeys): string => {
  const uuid = { postgres: "'uuid'", sqlite: "'varchar'", mysql: "'uuid'" }[kind]
  const type = { counted: "'int'", text: "'varchar', length: 30", uuid }[keys]
  return `@Column({ name: 'gift_to', nullable: true, type: ${type} }) giftTo!: unknown`
}

/** Lends a DataSource whose entities are that source, which is compiled as an application's would be. */
async function connected<Result>(
  database: Adoptable,
  code: string,
  work: (dataSource: DataSource) => Promise<Result>,
  more: Partial<typeorm.DataSourceOptions> = {},
): Promise<Result> {
  const compilerOptions = {
    module: ModuleKind.CommonJS,
    target: ScriptTarget.ES2022,
    experimentalDecorators: true,
    useDefineForClassFields: false,
  }
  const { outputText } = transpileModule(code, { compilerOptions })
  const { default: _, ...names } = { ...snoflax, ...typeorm, generator }
  const entities = new Function(...Object.keys(names), outputText)(...Object.values(names))
  const options = { ...optionsFor(database), entities, ...more } as typeorm.DataSourceOptions
  const dataSource = await prepareDataSource(new DataSource(options)).initialize()
  try {
    return await work(dataSource)
  } finally {
    await dataSource.destroy()
  }
}

let migrations = 0

/** A migration with the lines that the command prints for one. */
function migrationOf(statements: readonly string[]): new () => MigrationInterface {
  migrations++
  return class {
    readonly name = `Adopt${1_600_000_000_000 + migrations}`
    async up(queryRunner: QueryRunner): Promise<void> {
      for (const statement of statements) await queryRunner.query(statement)
    }
    async down(): Promise<void> {}
  }
}

describeOrm({
  orm: 'typeorm',
  source(kind, oldKeys, lines) {
    const oldKey = oldKeys === undefined ? '' : OLD_KEYS[oldKeys]
    return `
${lines('customer')}
@Entity('customer') class Customer {
  ${oldKey}
  ${lines('customer', 'id')}
  @Column('text') name!: string
}
${lines('orders')}
@Entity('orders') class Order {
  ${oldKey}
  ${lines('orders', 'id')}
  @Column('${TIME[kind]}') at!: Date
  ${lines('orders', 'customer_id')}
  @Index() @ManyToOne(() => Customer, { nullable: false, onDelete: 'CASCADE' }) @JoinColumn({ name: 'customer_id' }) customer!: Customer
  ${lines('orders', 'parent_id')}
  @ManyToOne(() => Order, { nullable: true }) @JoinColumn({ name: 'parent_id' }) parent!: Order
  ${oldKeys === undefined ? '' : oldGift(kind, oldKeys)}
  ${lines('orders', 'gift_to')}
}
return [Customer, Order]`
  },
  create: (database, source) => connected(database, source, (dataSource) => dataSource.synchronize()),
  diff: (database, source) =>
    connected(database, source, async ({ driver }) => {
      const { upQueries } = await driver.createSchemaBuilder().log()
      return upQueries.map(({ query }) => query)
    }),
  async migrate(database, statements) {
    const run = (dataSource: DataSource): Promise<unknown> => dataSource.runMigrations()
    await connected(database, 'return []', run, { migrations: [migrationOf(statements)] })
  },
  async baseline(database, statements) {
    const run = async (dataSource: DataSource): Promise<void> => {
      await dataSource.runMigrations({ fake: true })
      await dataSource.runMigrations()
    }
    await connected(database, 'return []', run, { migrations: [migrationOf(statements)] })
  },
})
