import { BadRequestException } from '@nestjs/common'
import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { refusal } from './refusal.js'

/**
 * A Nest pipe that checks an id of a request and brands it. Nest answers 400 with the message and the code of the IdError.
 *
 * @example
 * `class Orders { @Get(':id') find(@Param('id', new IdPipe(flax)) id: FlaxId) {} }`
 */
export class IdPipe<AnId extends string> {
  readonly #family: IdFamily<AnId>

  constructor(family: IdFamily<AnId>) {
    checkFamily(family, 'IdPipe: family')
    this.#family = family
  }

  /** @throws {BadRequestException} for anything that is not an id. */
  transform(value: unknown): AnId {
    const error = refusal(this.#family, value)
    if (error === undefined) return value as AnId
    const { message, code } = error
    throw new BadRequestException({ statusCode: 400, error: 'Bad Request', message, code }, { cause: error })
  }
}
