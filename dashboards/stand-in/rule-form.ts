import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import {
  answerSchema,
  limitingAnswer,
  type PlayedAnswer,
  type Script,
  type ScriptedAnswer,
} from '../../lib/wire/stand-in'

/** What a rule may do, in the order it is offered. */
export const DEEDS = [
  { id: '413', name: 'answer 413, too large' },
  { id: '400', name: 'answer 400, broken' },
  { id: '403', name: 'answer 403, the DSN is refused' },
  { id: '429', name: 'answer 429 without a limit: 60 s of everything' },
  { id: '500', name: 'answer 500, a bug of its own' },
  { id: '503', name: 'answer 503, come back later' },
  { id: 'hang', name: 'hang: never answer' },
  { id: 'drip', name: 'drip: a byte a second' },
  { id: 'reset', name: 'reset: cut the connection' },
  { id: 'oversized', name: 'oversized: 64 MiB of answer' },
] as const
export type DeedId = (typeof DEEDS)[number]['id']

/** How long a rule holds. */
export const SPANS = [
  { id: 'times', name: 'a number of posts' },
  { id: 'seconds', name: 'a number of seconds' },
  { id: 'ever', name: 'as long as it is not stopped' },
] as const
export type SpanId = (typeof SPANS)[number]['id']

/** Stands for every category: a rule that takes any post, a limit of everything. */
export const EVERYTHING = 'all'

/** Those that are tried most first; the rest by the alphabet. */
export const CATEGORIES: readonly string[] = [
  ...['transaction', 'error', 'span', EVERYTHING],
  ...[...DATA_CATEGORIES].filter((name) => !['transaction', 'error', 'span'].includes(name)).sort(),
]

const namesOf = (category: string): readonly string[] => (category === EVERYTHING ? [] : [category])

/** A limit of one category, told with the answer to the first post that holds it. */
export const limitRule = (category: string, seconds: number): ScriptedAnswer =>
  limitingAnswer(namesOf(category), seconds, { reason: 'stand_in' })

export interface RuleForm {
  readonly deed: DeedId
  readonly category: string
  readonly lasts: SpanId
  /** Posts or seconds; means nothing for a rule that ends when it is stopped. */
  readonly amount: number
}

/** What was chosen as a rule of a script. */
export function ruleOf({ deed, category, lasts, amount }: RuleForm): ScriptedAnswer {
  const categories = namesOf(category)
  const status = Number(deed)
  return answerSchema.parse({
    ...(categories.length > 0 && { categories }),
    ...(lasts === 'times' && { times: amount }),
    ...(lasts === 'seconds' && { forMs: amount * 1000 }),
    ...(Number.isNaN(status)
      ? { does: deed }
      : { status, body: JSON.stringify({ detail: `the stand-in was told to answer ${status}` }) }),
  })
}

/** What is left of a script, as a script again: a rule for a time goes on for the rest of it. */
const goingOn = (answers: readonly PlayedAnswer[], nowMs: number): ScriptedAnswer[] =>
  answers
    .filter(({ endsAt }) => endsAt === null || endsAt > nowMs)
    .map(({ endsAt, ...answer }) => (endsAt === null ? answer : { ...answer, forMs: Math.ceil(endsAt - nowMs) }))

type Rule = Pick<PlayedAnswer, 'categories' | 'times' | 'endsAt'>

/**
 * The place of a rule above this one that takes every post which this one would, for at least as long; `null` where it
 * has its turn.
 */
export function hiddenBy(rules: readonly Rule[], at: number): number | null {
  const rule = rules[at]
  const above =
    rule === undefined ? -1 : rules.slice(0, at).findIndex((one) => takesAll(one, rule) && outlasts(one, rule))
  return above < 0 ? null : above
}

/** Every post with one of the categories of the other is one of its own. */
const takesAll = ({ categories }: Rule, other: Rule): boolean =>
  categories === undefined || (other.categories?.every((category) => categories.includes(category)) ?? false)

const outlasts = ({ times, endsAt }: Rule, other: Rule): boolean =>
  times === undefined && (endsAt === null || (other.endsAt !== null && other.endsAt <= endsAt))

interface Played {
  readonly answers: readonly PlayedAnswer[]
  readonly keep: boolean
}

/** The script with one more rule, before the others: what was added last has its turn first. */
export const withRule = ({ answers, keep }: Played, rule: ScriptedAnswer, nowMs: number): Script => ({
  answers: [rule, ...goingOn(answers, nowMs)],
  keep,
})

export const withoutRule = ({ answers, keep }: Played, at: number, nowMs: number): Script => ({
  answers: goingOn(
    answers.filter((_, index) => index !== at),
    nowMs,
  ),
  keep,
})

export const keptOver = ({ answers }: Played, keep: boolean, nowMs: number): Script => ({
  answers: goingOn(answers, nowMs),
  keep,
})

export const NOTHING_PLAYED: Script = { answers: [], keep: false }
