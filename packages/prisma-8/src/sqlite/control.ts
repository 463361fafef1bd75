import { controlOf, withIdsOf } from '../control.js'
import { partsOf } from './codecs.js'

const descriptorOf = (...parts: Parameters<typeof partsOf>) => controlOf(partsOf(...parts))

/** For `extensions` in `prisma.config.ts`, if you don't use {@link withIds}. */
export default descriptorOf()

/**
 * Adds the extension to the configuration. `contract emit` then refuses foreign keys with other ids than their targets.
 *
 * @throws {IdError} `INVALID_OPTION` for families that can't be column types.
 *
 * @example
 * export default definePrismaConfig({ orm: withIds(defineConfig({ contract: './contract.prisma' })) })
 */
export const withIds = withIdsOf(descriptorOf, partsOf)
