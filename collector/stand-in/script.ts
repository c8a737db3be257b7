import { STAMP_HEADER } from '../../lib/protocol/request'
import type { StartTimer } from '../../lib/time'
import type { PlayedAnswer, Script, ScriptedAnswer } from '../../lib/wire/stand-in'

export interface Clock {
  readonly now: () => number
  /** ms, by a clock that is never set: setting the system clock must not prolong a rule. */
  readonly monotonic: () => number
}

interface Rule {
  readonly answer: ScriptedAnswer
  readonly left: number
  readonly endsAt: number
  /** `null` for posts of any stamp. */
  readonly stamp: string | null
}

/** Rules of stamps that are not used up; beyond it the oldest are dropped. */
const MAX_STAMPED_RULES = 1000

/** Plays a script: finds the rule for a post, and counts down. */
export class ScriptPlayer {
  readonly #clock: Clock
  #rules: readonly Rule[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Replaces the rules of the script's stamp, or those for all posts. Rules of a stamp come before rules for all posts. */
  load(script: Script): void {
    this.#dropUsedUp()
    const now = this.#clock.monotonic()
    const { stamp = null } = script
    const loaded = script.answers.map((answer) => ({
      answer,
      left: answer.times ?? Number.POSITIVE_INFINITY,
      endsAt: now + (answer.forMs ?? Number.POSITIVE_INFINITY),
      stamp,
    }))
    const all = [...this.#rules.filter((rule) => rule.stamp !== stamp), ...loaded]
    const stamped = all.filter((rule) => rule.stamp !== null).slice(-MAX_STAMPED_RULES)
    this.#rules = [...stamped, ...all.filter((rule) => rule.stamp === null)]
  }

  /**
   * Uses the first rule that matches a post; `null` where none does.
   * @param stamp of the post; an answer by a rule of that stamp has it as a header
   */
  take(categories: readonly string[], stamp: string | null = null): ScriptedAnswer | null {
    this.#dropUsedUp()
    const at = this.#rules.findIndex(
      (rule) => (rule.stamp === null || rule.stamp === stamp) && matches(rule.answer, categories),
    )
    const rule = this.#rules[at]
    if (rule === undefined) return null
    this.#rules = this.#rules.with(at, { ...rule, left: rule.left - 1 })
    this.#dropUsedUp()
    if (rule.stamp === null) return rule.answer
    return { ...rule.answer, headers: { ...rule.answer.headers, [STAMP_HEADER]: rule.stamp } }
  }

  left(): readonly PlayedAnswer[] {
    this.#dropUsedUp()
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    return this.#rules.map(({ answer, left, endsAt, stamp }) => ({
      ...answer,
      ...(stamp !== null && { stamp }),
      ...(answer.times !== undefined && { times: left }),
      endsAt: answer.forMs === undefined ? null : Math.round(now + endsAt - monotonic),
    }))
  }

  /** ms until the next rule ends; `null` where none has a time. */
  nextEnd(): number | null {
    const ends = this.#rules.map(({ endsAt }) => endsAt).filter(Number.isFinite)
    return ends.length === 0 ? null : Math.max(0, Math.min(...ends) - this.#clock.monotonic())
  }

  #dropUsedUp(): void {
    const now = this.#clock.monotonic()
    this.#rules = this.#rules.filter(({ left, endsAt }) => left > 0 && endsAt > now)
  }
}

const matches = ({ categories }: ScriptedAnswer, inPost: readonly string[]): boolean =>
  categories === undefined || categories.some((category) => inPost.includes(category))

/** Reports when a rule is used up, and when its time is over: no post arrives at that time. */
export function watchRules(player: ScriptPlayer, later: StartTimer, onRuleEnd: () => void) {
  let known = 0
  let cancel = (): void => undefined
  const wait = (): void => {
    cancel()
    const ms = player.nextEnd()
    // A timer can fire a fraction of a millisecond early.
    cancel = ms === null ? () => undefined : later(check, Math.ceil(ms) + 1)
  }
  const check = (): void => {
    const left = player.left().length
    if (left === known) return
    known = left
    wait()
    onRuleEnd()
  }
  const scriptLoaded = (): void => {
    known = player.left().length
    wait()
  }
  return { check, scriptLoaded, end: () => cancel() }
}
