import type { Id } from '@snoflax/core'
import {
  type SnowflakeFamily,
  type SnowflakeFields,
  type SnowflakeGenerator,
  type SnowflakeGeneratorOptions,
  snowflake,
} from './snowflake.js'

export type { SnowflakeFamily, SnowflakeFields, SnowflakeGenerator, SnowflakeGeneratorOptions }

/** An id of Twitter (X): a 63-bit number as decimal text. */
export type TwitterId = Id<'twitter'>

/** An id of Discord: an unsigned 64-bit number as decimal text. */
export type DiscordId = Id<'discord'>

/**
 * Twitter's snowflakes: 41 bits of milliseconds since 2010-11-04, datacenter, worker and sequence. See
 * spec/snowflakes.md.
 *
 * @example
 * twitter.time(twitter.parse('1541815603606036480')).toISOString() // '2022-06-28T16:07:40.105Z'
 */
export const twitter: SnowflakeFamily<'twitter', readonly ['datacenter', 'worker', 'sequence']> =
  /* @__PURE__ */ snowflake('twitter', 1_288_834_974_657, 41, ['datacenter', 'worker', 'sequence'])

/**
 * Discord's snowflakes: 42 bits of milliseconds since 2015, worker, process and increment. See spec/snowflakes.md.
 *
 * @example
 * discord.time(discord.parse('175928847299117063')).toISOString() // '2016-04-30T11:18:25.796Z'
 */
export const discord: SnowflakeFamily<'discord', readonly ['worker', 'process', 'increment']> =
  /* @__PURE__ */ snowflake('discord', 1_420_070_400_000, 42, ['worker', 'process', 'increment'])
