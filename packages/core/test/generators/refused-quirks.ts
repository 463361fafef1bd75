import type { IdErrorCode } from '@snoflax/core'
import type { Vector } from '../vectors.js'

/** A reference's behaviour that our generators don't have. */
export interface GeneratorQuirk {
  readonly file: 'sno' | 'flake' | 'uid'
  readonly kind: string
  readonly tag?: string
  /** Names of the vectors, or their options where they have no names. All of the kind and tag if left out. */
  readonly names?: readonly string[]
  readonly reason: string
  /** What ours answers in its place; left out where it answers with an id of its own. */
  readonly refused?: IdErrorCode
}

const options = (reason: string, refused: IdErrorCode, ...names: readonly string[]): GeneratorQuirk => ({
  file: 'flake',
  kind: 'options',
  names,
  reason,
  refused,
})

const script = (reason: string, name: string, refused?: IdErrorCode): GeneratorQuirk => ({
  file: 'flake',
  kind: 'script',
  names: [name],
  reason,
  ...(refused && { refused }),
})

const callback = (reason: string, name: string): GeneratorQuirk => ({
  file: 'flake',
  kind: 'callbackScript',
  names: [name],
  reason,
})

/** Every deliberate difference from the references that the vectors of generators show. */
export const GENERATOR_QUIRKS: readonly GeneratorQuirk[] = [
  {
    file: 'sno',
    kind: 'newWithTime',
    tag: 'past-max-wraps',
    reason: 'Times after the last unit wrap around and repeat ids of other times.',
    refused: 'TIME_OUT_OF_RANGE',
  },
  {
    file: 'sno',
    kind: 'newWithTime',
    tag: 'rollover',
    reason: 'A full unit starts over and repeats its own ids; ours is used up.',
    refused: 'SEQUENCE_EXHAUSTED',
  },
  {
    file: 'sno',
    kind: 'newWithTime',
    tag: 'epoch-edges',
    reason:
      'One counter rolls over all times on the live numbers; ours counts each unit in a shard of its own.',
  },
  {
    file: 'sno',
    kind: 'newWithTime',
    tag: 'random',
    reason: 'The same, and the id takes the live tick-tock bit; in a shard of its own it needs none.',
  },
  script(
    'The counter starts at 1 if the first call comes at time 0; ours at 0.',
    'first call at timestamp zero starts with counter 1',
  ),
  script(
    'A clock before the epoch counts as moved back; waiting for the epoch does not help within reason.',
    'epoch in the future',
    'TIME_OUT_OF_RANGE',
  ),
  script(
    'The time wraps and repeats ids of 139 years ago.',
    'timestamp beyond 42 bits wraps',
    'TIME_OUT_OF_RANGE',
  ),
  script(
    'A mask that is not 2^n - 1 has holes: 5 gives two ids a millisecond.',
    'seqMask 5',
    'INVALID_OPTION',
  ),
  callback(
    'The call ends in a ReferenceError and its request is lost; ours waits for the clock.',
    'clock backwards with a callback throws ReferenceError',
  ),
  callback(
    'The timer ends in a ReferenceError and its request is lost; ours goes on waiting.',
    'clock backwards while a request is deferred: the timer throws and the request is lost',
  ),
  callback(
    'Later calls overtake one that waits; ours wait behind it.',
    'a later caller can overtake a deferred request',
  ),
  callback(
    'Before the epoch the call ends in a ReferenceError, and at the epoch the counter starts at 1.',
    'first call before the epoch, with a callback',
  ),
  options(
    'Without an identity all processes would make the same ids.',
    'GENERATOR_REQUIRED',
    '{}',
    '{id: undefined}',
    '{datacenter: null, worker: undefined}',
  ),
  options(
    'Numbers are cut to their bits, so that two workers become one.',
    'FIELD_OUT_OF_RANGE',
    '{id: 1024}',
    '{id: 1025}',
    '{id: 4294967297}',
    '{datacenter: 32, worker: 32}',
    '{datacenter: 33, worker: 63}',
  ),
  options(
    'What is no number is read as one.',
    'INVALID_TYPE',
    '{id: null}',
    '{id: "5"}',
    '{id: true}',
    '{datacenter: "4", worker: "x"}',
    '{epoch: "1300000000000"}',
    '{epoch: null}',
    '{epoch: new Date(1300000000000)}',
    '{seqMask: "15"}',
  ),
  options(
    'An id wins silently over datacenter and worker.',
    'INVALID_OPTION',
    '{id: null, datacenter: 9, worker: 7}',
  ),
  options(
    'NaN and fractions of a millisecond are no epoch.',
    'FIELD_OUT_OF_RANGE',
    '{epoch: NaN}',
    '{epoch: 1300000000000.5}',
  ),
  options(
    'A clock before the epoch counts as moved back.',
    'TIME_OUT_OF_RANGE',
    '{epoch: 1700000000002}',
    '{epoch: 1800000000000}',
  ),
  options('A mask of 0 means the default.', 'FIELD_OUT_OF_RANGE', '{seqMask: 0}'),
  options('A mask above 4095 writes over the worker.', 'FIELD_OUT_OF_RANGE', '{seqMask: 0x1FFF}'),
  options('A mask that is not 2^n - 1 has holes.', 'INVALID_OPTION', '{seqMask: 10}'),
  {
    file: 'flake',
    kind: 'options',
    names: ['{epoch: 1700000000001}'],
    reason: 'The counter starts at 1 if the first call comes at time 0; ours at 0.',
  },
  {
    file: 'uid',
    kind: 'generate',
    reason:
      'The sequence is a counter of the whole virtual machine, mod 16384; ours starts at 0 in each step.',
  },
  { file: 'uid', kind: 'vclockTick', reason: 'The same, for the new entry.' },
  { file: 'uid', kind: 'vclockNew', reason: 'The same, for the new entry.' },
]

interface NamedVector extends Vector {
  readonly name?: string
  readonly optionsJs?: string
}

function shows({ file, kind, tag, names }: GeneratorQuirk, of: string, vector: NamedVector): boolean {
  return (
    file === of &&
    kind === vector.kind &&
    (tag === undefined || tag === vector.tag) &&
    (names === undefined || names.includes(vector.name ?? vector.optionsJs ?? ''))
  )
}

/** The quirk that a vector shows, if it does. */
export function generatorQuirkOf(
  file: GeneratorQuirk['file'],
  vector: NamedVector,
): GeneratorQuirk | undefined {
  return GENERATOR_QUIRKS.find((quirk) => shows(quirk, file, vector))
}
