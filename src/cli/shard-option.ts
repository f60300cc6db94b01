/** `--shard`: which part of the funds a machine renders: a number, or `auto`, by the index that a scheduler gives it. */

import type { Shard } from '../build/shard.ts'
import type { Surroundings } from './command.ts'
import { UsageError } from './failure.ts'
import { parsedOption } from './options.ts'
import { shownValue } from './safe-text.ts'

/** As it is given, before `auto` has become a number. */
interface ShardFlag {
  readonly number: number | 'auto'
  readonly of: number
}

/**
 * Variables with the index of a machine, from 0. Sources: Kubernetes, "Indexed Job" (Jobs, completion mode); AWS Batch, "Array jobs".
 */
const indexVariables = ['JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX'] as const

export const shardOption = parsedOption(
  '--shard <n/of>',
  'Render one of several parts, such as 3/8; auto/8: by the index in ' + indexVariables.join(' or '),
  'a part of up to 999, such as 3/8 or auto/8',
  (text): ShardFlag | undefined => {
    const [, part = '', all] = /^(auto|[1-9][0-9]{0,2})\/([1-9][0-9]{0,2})$/.exec(text) ?? []
    const of = Number(all)
    if (part === 'auto') return { number: 'auto', of }
    return Number(part) >= 1 && Number(part) <= of ? { number: Number(part), of } : undefined
  },
)

/** @throws {UsageError} if the environment names no index for `auto`, or a wrong one */
export function shardOf(
  { number, of }: ShardFlag,
  { environment }: Pick<Surroundings, 'environment'>,
): Shard {
  if (number !== 'auto') return { number, of }
  // As for settings, an empty variable is none.
  const given = indexVariables.flatMap((name) => {
    const value = environment[name] ?? ''
    return value === '' ? [] : [{ name, value }]
  })
  const [first, second] = given
  if (first === undefined)
    throw new UsageError(
      `--shard auto/${of} takes the index of this machine from ${indexVariables.join(' or ')}, and neither is set: ` +
        `run it in an Indexed Job of Kubernetes or an array job of AWS Batch, or give a number: --shard 1/${of}`,
    )
  if (second !== undefined && second.value !== first.value)
    throw new UsageError(
      `${given.map(({ name, value }) => `${name} is ${shownValue(value)}`).join(', but ')}: unset one of them`,
    )
  if (!/^(0|[1-9][0-9]{0,2})$/.test(first.value) || Number(first.value) >= of)
    throw new UsageError(
      `${first.name} is ${shownValue(first.value)}: --shard auto/${of} needs an index from 0 to ${of - 1}`,
    )
  return { number: Number(first.value) + 1, of }
}
