import { controlOf, withIdsOf } from '../control.js'
import { partsOf } from './codecs.js'
import { contractSpace, spaceVersions } from './space.js'

const descriptorOf = (...parts: Parameters<typeof partsOf>) => ({
  ...controlOf(partsOf(...parts)),
  // The SQL that text columns and `flaxDb()` need, and that ranges of time in SQL of your own may use.
  contractSpace: contractSpace(spaceVersions()),
})

/** For `extensions` in `prisma.config.ts`, if you don't use {@link withIds}. */
export default descriptorOf()

/**
 * The configuration with the extension, whose `contract emit` refuses foreign keys that hold other ids than their targets.
 *
 * @throws {IdError} `INVALID_OPTION` for families that can't be column types.
 *
 * @example
 * export default definePrismaConfig({ orm: withIds(defineConfig({ contract: './contract.prisma' })) })
 */
export const withIds = withIdsOf(descriptorOf, partsOf)
