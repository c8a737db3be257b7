import type { PlayedAnswer, Script, ScriptedAnswer } from '../../lib/wire/stand-in'

export interface Clock {
  /** ms since the epoch, for people. */
  readonly now: () => number
  /** ms that only ever grow: a rule for a time must not last a day longer because somebody set the clock. */
  readonly monotonic: () => number
}

interface Rule {
  readonly answer: ScriptedAnswer
  /** How many posts it still answers. */
  readonly left: number
  /** By the clock that is never set. */
  readonly endsAt: number
}

/** Plays a script: finds the rule that takes a post, counts down, and tells what is left. */
export class ScriptPlayer {
  readonly #clock: Clock
  #rules: readonly Rule[] = []
  #keep = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  load(script: Script): void {
    const now = this.#clock.monotonic()
    this.#keep = script.keep
    this.#rules = script.answers.map((answer) => ({
      answer,
      left: answer.times ?? Number.POSITIVE_INFINITY,
      endsAt: now + (answer.forMs ?? Number.POSITIVE_INFINITY),
    }))
  }

  /**
   * The first rule that takes a post and is not used up; `null` where none does.
   * @param categories of its items.
   */
  take(categories: readonly string[]): ScriptedAnswer | null {
    this.#dropUsedUp()
    const at = this.#rules.findIndex(({ answer }) => takes(answer, categories))
    const rule = this.#rules[at]
    if (rule === undefined) return null
    this.#rules = this.#rules.with(at, { ...rule, left: rule.left - 1 })
    this.#dropUsedUp()
    return rule.answer
  }

  /** The rules that are not used up, as they are now. */
  left(): readonly PlayedAnswer[] {
    this.#dropUsedUp()
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    return this.#rules.map(({ answer, left, endsAt }) => ({
      ...answer,
      ...(answer.times !== undefined && { times: left }),
      endsAt: answer.forMs === undefined ? null : Math.round(now + endsAt - monotonic),
    }))
  }

  get keep(): boolean {
    return this.#keep
  }

  /** ms until the next rule is over; `null` where none has a time. */
  nextEnd(): number | null {
    const ends = this.#rules.map(({ endsAt }) => endsAt).filter(Number.isFinite)
    return ends.length === 0 ? null : Math.max(0, Math.min(...ends) - this.#clock.monotonic())
  }

  #dropUsedUp(): void {
    const now = this.#clock.monotonic()
    this.#rules = this.#rules.filter(({ left, endsAt }) => left > 0 && endsAt > now)
  }
}

const takes = ({ categories }: ScriptedAnswer, held: readonly string[]): boolean =>
  categories === undefined || categories.some((category) => held.includes(category))
