import type { QueryRunner } from 'typeorm'
import type { InsertBuilder } from './insert-builder.js'

/** One connection, and one transaction where the builder asks for it, for an insert and what follows it. */
export async function onOneConnection<Result>(
  builder: InsertBuilder,
  work: (queryRunner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  const { queryRunner: given, expressionMap } = builder
  const { useTransaction } = expressionMap
  const queryRunner = builder.obtainQueryRunner()
  builder.queryRunner = queryRunner
  expressionMap.useTransaction = false
  try {
    if (!useTransaction || queryRunner.isTransactionActive) return await work(queryRunner)
    return await inTransaction(queryRunner, work)
  } finally {
    builder.queryRunner = given
    expressionMap.useTransaction = useTransaction
    if (queryRunner !== given) await queryRunner.release()
  }
}

async function inTransaction<Result>(
  queryRunner: QueryRunner,
  work: (queryRunner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  await queryRunner.startTransaction()
  try {
    const result = await work(queryRunner)
    await queryRunner.commitTransaction()
    return result
  } catch (error) {
    // Where it can't be rolled back, the transaction is over already, mostly by what went wrong: that is told.
    await queryRunner.rollbackTransaction().catch(() => {})
    throw error
  }
}
