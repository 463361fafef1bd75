import { readFileSync } from 'node:fs'
import { sqlContractCanonicalizationHooks } from '@prisma/orm-family-sql/contract/canonicalization-hooks'
import type { SqlStorage } from '@prisma/orm-family-sql/contract/types'
import type { SqlControlExtensionDescriptor } from '@prisma/orm-family-sql/family/control'
import { computeProfileHash, computeStorageHash } from '@prisma/orm-framework/contract/hashing'
import type { Contract } from '@prisma/orm-framework/contract/types'
import { computeMigrationHash } from '@prisma/orm-toolchain/migration-tools/hash'
import { contractSpaceFromJson } from '@prisma/orm-toolchain/migration-tools/spaces'
import { EXTENSION_ID } from '../pack.js'

/** The SQL of @snoflax/pg-sql, frozen at one release of this package. */
export interface SpaceVersion {
  /** Prisma's migration name: date and name. */
  readonly name: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Upgrades a database from any earlier version to this one. */
  readonly statements: readonly string[]
}

type Metadata = Parameters<typeof computeMigrationHash>[0]
type Operations = Parameters<typeof computeMigrationHash>[1]

const TARGET = { target: 'postgres', targetFamily: 'sql' }

/** The state that Prisma expects after each version. Prisma doesn't inspect schemas without models. */
function storageAfter(versions: readonly SpaceVersion[]) {
  const storage = {
    namespaces: { public: { entries: { table: {} }, id: 'public', kind: 'postgres-schema' } },
    // Prisma refuses a migration that changes nothing it can see.
    types: Object.fromEntries(
      versions.map(({ name }) => [
        `sql_${name}`,
        { codecId: 'pg/text@1', kind: 'codec-instance', nativeType: 'text' },
      ]),
    ),
  }
  return {
    ...storage,
    storageHash: computeStorageHash({ ...TARGET, storage, ...sqlContractCanonicalizationHooks }) as string,
  }
}

function operationsOf({ name, statements }: SpaceVersion): Operations {
  return [
    {
      id: `${EXTENSION_ID}.${name}`,
      label: `Install the SQL of ${EXTENSION_ID}, ${name}`,
      operationClass: 'additive',
      invariantId: `${EXTENSION_ID}:${name}`,
      target: {
        id: 'postgres',
        details: { schema: EXTENSION_ID, objectType: 'dependency', name: EXTENSION_ID },
      },
      precheck: [],
      execute: statements.map((sql, index) => ({ description: `statement ${index + 1}`, sql })),
      // Without a precheck the statements always run. They are idempotent and upgrade older versions.
      postcheck: [],
    },
  ] as unknown as Operations
}

/** The schema of @snoflax/pg-sql as a separate contract space, with one migration per version. */
export function contractSpace(
  versions: readonly SpaceVersion[],
): NonNullable<SqlControlExtensionDescriptor<'postgres'>['contractSpace']> {
  const invariants = versions.map(({ name }) => `${EXTENSION_ID}:${name}`)
  const storages = versions.map((_, index) => storageAfter(versions.slice(0, index + 1)))
  const head = storages.at(-1) as (typeof storages)[number]
  return contractSpaceFromJson<Contract<SqlStorage>>({
    contractJson: {
      schemaVersion: '1',
      ...TARGET,
      profileHash: computeProfileHash({ ...TARGET, capabilities: {} }),
      roots: {},
      domain: { namespaces: { public: { models: {} } } },
      storage: head,
      capabilities: {},
      extensions: {},
      meta: {},
    },
    migrations: versions.map((version, index) => {
      const ops = operationsOf(version)
      const metadata = {
        from: storages[index - 1]?.storageHash ?? null,
        to: storages[index]?.storageHash,
        providedInvariants: [invariants[index]],
        createdAt: version.createdAt,
      } as unknown as Metadata
      return {
        dirName: version.name,
        metadata: { ...metadata, migrationHash: computeMigrationHash(metadata, ops) },
        ops,
      }
    }),
    headRef: { hash: head.storageHash, invariants },
  })
}

/** All released versions, and the current one. */
export const spaceVersions = (): readonly SpaceVersion[] =>
  JSON.parse(readFileSync(new URL('../space.json', import.meta.url), 'utf8'))
