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
}

/** Plays a script: finds the rule for a post, and counts down. */
export class ScriptPlayer {
  readonly #clock: Clock
  #rules: readonly Rule[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  load(script: Script): void {
    const now = this.#clock.monotonic()
    this.#rules = script.answers.map((answer) => ({
      answer,
      left: answer.times ?? Number.POSITIVE_INFINITY,
      endsAt: now + (answer.forMs ?? Number.POSITIVE_INFINITY),
    }))
  }

  /** Uses the first rule that matches a post; `null` where none does. */
  take(categories: readonly string[]): ScriptedAnswer | null {
    this.#dropUsedUp()
    const at = this.#rules.findIndex(({ answer }) => matches(answer, categories))
    const rule = this.#rules[at]
    if (rule === undefined) return null
    this.#rules = this.#rules.with(at, { ...rule, left: rule.left - 1 })
    this.#dropUsedUp()
    return rule.answer
  }

  left(): readonly PlayedAnswer[] {
    this.#dropUsedUp()
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    return this.#rules.map(({ answer, left, endsAt }) => ({
      ...answer,
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
