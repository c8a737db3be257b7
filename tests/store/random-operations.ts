import type { StoredLimit } from '../../collector/spool/submission'
import type { Discard, Submission } from '../../lib/protocol/submission'
import type { Random } from '../faults/random'
import { submission } from '../unit/spool/in-process-spool'
import { drawAttempt, drawSubmission, pickFrom } from '../unit/spool/random-submission'
import type { OpenedStore } from './engines'

/** A store, and the numbers that it gave to the submissions, in the order in which they were sent. */
export interface Target {
  readonly store: OpenedStore
  readonly seqs: number[]
}

/** One call, drawn without a store. @returns an answer without numbers, equal for each engine */
export type Operation = (target: Target) => Promise<unknown>

export const KEYS = ['key', 'other'] as const
export const STAMPS = ['a', 'b', 'c', 'd'] as const
export const SETTINGS = ['relay', 'error_group/1', 'mark/start'] as const
const PAGES = [null, null, 'page-1', 'page-2']

/** Draws calls that fit to the submissions sent so far. Times are ms since the epoch. */
export class RandomOperations {
  readonly #draw: Random
  readonly #now: () => number
  readonly #sent: Submission[] = []

  constructor(draw: Random, now: () => number) {
    this.#draw = draw
    this.#now = now
  }

  next(): { readonly name: string; readonly run: Operation } {
    let left = this.#draw.between(0, DRAWN.reduce((sum, [weight]) => sum + weight, 0) - 1)
    for (const [weight, name] of DRAWN) {
      left -= weight
      if (left < 0) return { name, run: this.#make(name) }
    }
    throw new Error('no operation was drawn')
  }

  #make(name: (typeof DRAWN)[number][1]): Operation {
    const draw = this.#draw
    switch (name) {
      case 'append':
        return this.#append(this.#submission())
      case 'append again':
        return this.#appendAgain()
      case 'attempt':
        return this.#attempt()
      case 'decide without attempt':
        return this.#decide()
      case 'requeue': {
        const chosen = this.#some()
        return async ({ store, seqs }) =>
          (await store.requeueDeadLetters(chosen.map((at) => numberOf(seqs, at)))).map((seq) => seqs.indexOf(seq))
      }
      case 'drop': {
        const chosen = this.#some()
        return ({ store, seqs }) => store.dropDeadLetters(chosen.map((at) => numberOf(seqs, at)))
      }
      case 'limits': {
        const limits = Array.from({ length: draw.between(1, 3) }, () => this.#limit())
        return ({ store, seqs }) =>
          store.storeLimits(
            limits.map((one) => ({
              ...one,
              sourceSeq: one.sourceSeq === null ? null : numberOf(seqs, one.sourceSeq),
            })),
          )
      }
      case 'setting': {
        const setting = pickFrom(draw, SETTINGS)
        const value = pickFrom(draw, [null, '{"muted":true,"note":null}', '{"at":1}'])
        return ({ store }) => store.saveSetting(setting, value)
      }
      case 'refusal': {
        const path = pickFrom(draw, [null, 'GET /', 'POST /x'])
        return ({ store }) => store.countRefusal(path === null ? 'too_large' : 'not_found', 10, path ?? undefined)
      }
      case 'pages':
        return ({ store }) => store.countPages(3, 2)
      case 'subtract reported': {
        const [key, discards] = [pickFrom(draw, KEYS), this.#discards(3)]
        return ({ store }) => store.subtractReported(key, '1', discards)
      }
    }
  }

  #submission(): Submission {
    const drawn = drawSubmission(this.#draw)
    const page = pickFrom(this.#draw, PAGES)
    const isLimited = this.#draw.fraction() < 0.2
    const now = this.#now()
    return {
      ...drawn,
      publicKey: pickFrom(this.#draw, KEYS),
      receivedAt: now,
      facts: { ...drawn.facts, page, origin: page === null ? null : 'http://localhost:3000' },
      reportedLimits: isLimited ? [{ category: 'error', until: now + 20_000 }] : [],
    }
  }

  #append(sent: Submission): Operation {
    this.#sent.push(sent)
    return async ({ store, seqs }) => {
      const appended = await store.append(sent)
      if ('needed' in appended) throw new Error('the submission does not fit')
      seqs.push(appended.seq)
      return seqs.indexOf(appended.seq)
    }
  }

  /** Sends one of the last receipts again, sometimes with other bytes. */
  #appendAgain(): Operation {
    const again = this.#sent[Math.max(0, this.#sent.length - this.#draw.between(1, 20))]
    if (again === undefined) return this.#append(this.#submission())
    return this.#append(this.#draw.fraction() < 0.7 ? again : submission({ receipt: again.receipt }))
  }

  #attempt(): Operation {
    const at = this.#one()
    const items = this.#sent[at]?.quantities.length
    if (items === undefined) return async () => null
    const { attempt } = drawAttempt(this.#draw, 0, items)
    const toReport = this.#discards(2)
    const now = this.#now()
    const answer = pickFrom(this.#draw, [null, '{"detail":"ü"}'])
    const given = { ...attempt, startedAt: now - 2, endedAt: now - 1, answer, toReport }
    return async ({ store, seqs }) => store.recordAttempt({ ...given, seq: numberOf(seqs, at) })
  }

  #decide(): Operation {
    const at = this.#one()
    const toReport = this.#discards(2)
    return async ({ store, seqs }) =>
      seqs[at] === undefined
        ? null
        : store.decideWithoutAttempt(
            numberOf(seqs, at),
            [{ item: -1, outcome: 'rate_limited', reason: 'limited' }],
            toReport,
          )
  }

  #limit(): StoredLimit {
    const receivedAt = this.#now()
    return {
      publicKey: pickFrom(this.#draw, KEYS),
      project: '1',
      category: pickFrom(this.#draw, ['error', 'span', 'all']),
      receivedAt,
      until: receivedAt + this.#draw.between(1, 60) * 1000,
      reason: pickFrom(this.#draw, [null, 'quota']),
      scope: pickFrom(this.#draw, [null, 'key']),
      sourceSeq: this.#sent.length === 0 ? null : this.#one(),
    }
  }

  #discards(most: number): readonly Discard[] {
    return Array.from({ length: this.#draw.between(0, most) }, () => ({
      category: pickFrom(this.#draw, ['error', 'span']),
      reason: 'ratelimit_backoff',
      quantity: this.#draw.between(1, 5),
    }))
  }

  /** The position of a submission, mostly of a late one. */
  #one(): number {
    const last = this.#sent.length - 1
    return Math.max(0, last - this.#draw.between(0, this.#draw.fraction() < 0.8 ? 15 : last + 1))
  }

  #some(): readonly number[] {
    if (this.#sent.length === 0) return []
    return [...new Set(Array.from({ length: this.#draw.between(1, 10) }, () => this.#one()))]
  }
}

const DRAWN = [
  [40, 'append'],
  [5, 'append again'],
  [40, 'attempt'],
  [6, 'decide without attempt'],
  [6, 'requeue'],
  [4, 'drop'],
  [4, 'limits'],
  [3, 'setting'],
  [3, 'refusal'],
  [2, 'pages'],
  [4, 'subtract reported'],
] as const

function numberOf(seqs: readonly number[], at: number): number {
  const seq = seqs[at]
  if (seq === undefined) throw new Error(`submission ${at} was not sent yet`)
  return seq
}
