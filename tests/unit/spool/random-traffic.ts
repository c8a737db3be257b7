import { expect } from 'vitest'
import type { Quantity } from '../../../lib/protocol/data-category'
import type { Outcome } from '../../../lib/protocol/outcome'
import type { Submission } from '../../../lib/protocol/submission'
import { ledgerErrors } from '../../faults/ledger-errors'
import type { Random } from '../../faults/random'
import { accepted, type InProcessSpool, openInProcess, submission, temporaryFolder } from './in-process-spool'
import { drawAttempt, drawSubmission, pickFrom } from './random-submission'

const KiB = 1024
/** Small, so that pending records fill their share at times. */
const CAP = 4096 * KiB
const DAY_MS = 24 * 60 * 60 * 1000

/** Runs random operations on a spool, and counts independently what its ledger totals must be. */
export class RandomTraffic {
  spool: InProcessSpool
  readonly #draw: Random
  readonly #folder = temporaryFolder()
  readonly #sent: Submission[] = []
  /** The expected totals by category and entry, over all reasons. */
  readonly #expected = new Map<string, number>()
  readonly #quantities = new Map<number, readonly Quantity[]>()
  #ran = 0

  constructor(draw: Random) {
    this.#draw = draw
    this.spool = this.#open()
  }

  /** Runs one random operation. @returns its name. */
  async step(): Promise<string> {
    const drawn = this.#draw.between(0, this.#operations.reduce((sum, [weight]) => sum + weight, 0) - 1)
    let left = drawn
    for (const [weight, name, run] of this.#operations) {
      left -= weight
      if (left >= 0) continue
      await run()
      return name
    }
    throw new Error(`no operation has the number ${drawn}`)
  }

  errors(): readonly string[] {
    const totals = new Map(
      this.spool.db
        .prepare(
          "SELECT category || ' ' || entry, sum(quantity) FROM ledger_totals WHERE entry <> 'pending' GROUP BY category, entry",
        )
        .raw()
        .all() as [string, number][],
    )
    const differing = [...new Set([...totals.keys(), ...this.#expected.keys()])].filter(
      (key) => (totals.get(key) ?? 0) !== (this.#expected.get(key) ?? 0),
    )
    return [
      ...ledgerErrors(this.spool.db),
      ...differing.map((key) => `${key} is ${totals.get(key)}, expected ${this.#expected.get(key)}`),
    ]
  }

  readonly #operations: readonly (readonly [weight: number, name: string, run: () => Promise<void>])[] = [
    [
      30,
      'several arrive in one commit, one of them fails',
      () => this.#arrive(this.#several(this.#draw.between(1, 6))),
    ],
    [2, 'more arrive than may be pending', () => this.#fillBacklog()],
    [4, 'a receipt arrives again', () => this.#arriveAgain()],
    [30, 'upstream answers', () => this.#answer()],
    [4, 'a submission is settled without a post', () => this.#decideWithoutAttempt()],
    [
      6,
      'a person sends dead letters again',
      async () => void (await this.spool.requeueDeadLetters(this.#some('dead_letters'))),
    ],
    [4, 'a person drops dead letters', () => this.#drop()],
    [4, 'settled records are evicted', () => this.#evict()],
    [3, 'dead letters are evicted', () => this.#evictDeadLetters()],
    [2, 'a day passes, and expired records are evicted', () => this.#evictExpired()],
    [2, 'a person clears', () => this.#clear()],
    [6, 'the spool is restarted', async () => this.#restart()],
    [4, 'a commit fails', async () => this.#fail()],
    [1, 'a thousand other stamps are seen', async () => this.#seeStamps()],
  ]

  #open(): InProcessSpool {
    const monotonic = (): number => this.#ran
    return openInProcess({ folder: this.#folder, cap: CAP, monotonic })
  }

  #restart(): void {
    this.spool.close()
    this.#ran = 0
    this.spool = this.#open()
  }

  #pick<Value>(values: readonly Value[]): Value {
    return pickFrom(this.#draw, values)
  }

  #several(many: number): readonly Submission[] {
    return Array.from({ length: many }, () => drawSubmission(this.#draw))
  }

  /** Up to five sequence numbers of a table, or all of them. */
  #some(table: 'pending_deliveries' | 'dead_letters'): readonly number[] {
    if (this.#draw.fraction() < 0.3) return this.#seqsOf(table)
    return this.#seqsOf(table)
      .filter(() => this.#draw.fraction() < 0.5)
      .slice(0, 5)
  }

  readonly #seqsOf = (table: 'pending_deliveries' | 'dead_letters') =>
    this.spool.db.prepare(`SELECT seq FROM ${table} ORDER BY seq`).pluck().all() as number[]

  #count(category: string, entry: string, quantity: number): void {
    const key = `${category} ${entry}`
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + quantity)
  }

  #decided(seq: number, outcome: Outcome): void {
    for (const { category, quantity } of this.#quantities.get(seq) ?? []) this.#count(category, outcome, quantity)
  }

  /** These fill the share of pending records. */
  async #fillBacklog(): Promise<void> {
    await this.#evict()
    const large = this.#several(25)
    await this.#arrive(large.map((one) => ({ ...one, ...submission({ size: 130 * KiB }), quantities: one.quantities })))
  }

  async #arrive(arriving: readonly Submission[]): Promise<void> {
    const { writer } = this.spool
    const appended = writer.commit(() =>
      arriving.map((one, at) => {
        const given = writer.attempt(() => writer.insertSubmission(one))
        if (at === 2)
          expect(() =>
            writer.attempt(() => {
              writer.insertSubmission(drawSubmission(this.#draw))
              throw new Error('the call fails')
            }),
          ).toThrow('the call fails')
        return given
      }),
    ).result
    for (const [at, one] of arriving.entries()) {
      const given = appended[at]
      if (given === undefined || !('seq' in given)) continue
      this.#sent.push(one)
      if (one.deliveryStatus === 'copy') continue
      this.#quantities.set(given.seq, one.quantities)
      for (const { category, quantity } of one.quantities) this.#count(category, 'received', quantity)
      for (const { category, quantity } of one.discards) this.#count(category, 'client_discard', quantity)
      if (one.deliveryStatus !== 'pending') this.#decided(given.seq, one.deliveryStatus.outcome)
    }
    if (appended.some((given) => !('seq' in given))) await this.#evict()
  }

  async #arriveAgain(): Promise<void> {
    const kept = new Set(this.spool.db.prepare('SELECT receipt FROM submissions').pluck().all())
    const known = this.#sent.filter(({ receipt }) => kept.has(receipt))
    if (known.length > 0) await this.spool.append(this.#pick(known))
  }

  async #answer(): Promise<void> {
    const pending = this.#seqsOf('pending_deliveries')
    for (let n = this.#draw.between(1, 6); n > 0 && pending.length > 0; n -= 1)
      await this.#answerTo(this.#pick(pending))
  }

  /** The submission may be decided already: then this attempt decides nothing. */
  async #answerTo(seq: number): Promise<void> {
    const isPending = this.#seqsOf('pending_deliveries').includes(seq)
    const quantities = this.#quantities.get(seq) ?? []
    const { attempt, outcomes } = drawAttempt(this.#draw, seq, quantities.length)
    await this.spool.recordAttempt(attempt)
    if (!isPending || outcomes === null) return
    for (const [item, { category, quantity }] of quantities.entries())
      this.#count(category, outcomes[item] ?? 'missing', quantity)
  }

  async #decideWithoutAttempt(): Promise<void> {
    const pending = this.#seqsOf('pending_deliveries')
    if (pending.length === 0) return
    const seq = this.#pick(pending)
    await this.spool.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    this.#decided(seq, 'rate_limited')
  }

  async #drop(): Promise<void> {
    const dead = this.#some('dead_letters')
    expect(await this.spool.dropDeadLetters(dead)).toBe(dead.length)
    for (const seq of dead) this.#decided(seq, 'dropped')
  }

  async #evict(): Promise<void> {
    await this.spool.evictSettled(await this.spool.settledRecords(Number.MAX_SAFE_INTEGER))
  }

  async #evictDeadLetters(): Promise<void> {
    const dead = (await this.spool.deadLetterRecords(Number.MAX_SAFE_INTEGER)).slice(0, 3)
    await this.spool.evictDeadLetters(dead)
    for (const seq of dead) this.#decided(seq, 'invalid')
  }

  async #evictExpired(): Promise<void> {
    this.#ran += DAY_MS
    const due = (await this.spool.expiredRecords(Number.MAX_SAFE_INTEGER)).slice(0, 5)
    await this.spool.evictExpired(due)
    for (const seq of due) this.#decided(seq, 'expired')
  }

  async #clear(): Promise<void> {
    const { settledRecords, deadLetterRecords, pendingRecords } = this.spool
    for (const next of [settledRecords, deadLetterRecords, pendingRecords]) {
      const seqs = await next(Number.MAX_SAFE_INTEGER)
      await this.spool.clear(seqs)
      if (next !== settledRecords) for (const seq of seqs) this.#decided(seq, 'dropped')
    }
    await this.spool.noteCleared()
  }

  #fail(): void {
    const { writer } = this.spool
    const [first] = this.#seqsOf('pending_deliveries')
    expect(() =>
      writer.commit(() => {
        for (let n = 0; n < 3; n += 1) writer.insertSubmission({ ...drawSubmission(this.#draw), stamp: `lost-${n}` })
        if (first !== undefined) writer.recordAttempt(accepted(first))
        writer.deadLetters.drop(this.#seqsOf('dead_letters'))
        throw new Error('the call fails')
      }),
    ).toThrow('the call fails')
  }

  #seeStamps(): void {
    const { writer } = this.spool
    const quantities = [{ category: 'error', quantity: 1 }]
    const arriving = Array.from({ length: 1000 }, (_, n) =>
      submission({ size: 1, stamp: `other-${n}`, quantities, deliveryStatus: { outcome: 'kept', reason: 'drawn' } }),
    )
    const appended = writer.commit(() => arriving.map((one) => writer.insertSubmission(one))).result
    for (const given of appended) {
      if (!('seq' in given)) continue
      this.#quantities.set(given.seq, quantities)
      this.#count('error', 'received', 1)
      this.#decided(given.seq, 'kept')
    }
  }
}
