import { afterAll, expect, it } from 'vitest'
import type { Discard, Submission } from '../../../collector/spool/submission'
import type { Quantity } from '../../../lib/protocol/data-category'
import { OUTCOMES, type Outcome } from '../../../lib/protocol/outcome'
import { bookErrors } from '../../faults/books'
import { type Draw, drawFrom } from '../../faults/draw'
import {
  accepted,
  type InProcessSpool,
  openInProcess,
  removeFolders,
  submission,
  temporaryFolder,
} from './in-process-spool'

afterAll(removeFolders)

/** Other traffic is drawn by another seed: `BOOKS_SEED=7`. */
const SEEDS = process.env.BOOKS_SEED === undefined ? [1, 2, 3] : [Number(process.env.BOOKS_SEED)]
const STEPS = 300
const met = new Set<unknown>()

it.each(SEEDS)(
  'books balance in all and for each stamp after every commit, whatever is sent, answered, decided, evicted or killed (seed %i)',
  async (seed) => {
    const world = new World(drawFrom(seed))
    for (let step = 1; step <= STEPS; step += 1) {
      const did = await world.step()
      expect(world.errors(), `step ${step}: ${did}`).toEqual([])
    }
    for (const entry of world.spool.db.prepare('SELECT DISTINCT entry FROM books').pluck().all()) met.add(entry)
  },
  60_000,
)

it('that traffic meets every kind of entry, or it proves nothing of one', () => {
  expect([...met].sort()).toEqual([...OUTCOMES, 'received', 'pending', 'client_discard'].sort())
})

const CATEGORIES = ['error', 'transaction', 'span', 'log_item', 'attachment', 'session', 'made-up']
const STAMPS = [null, null, 'a', 'b', 'c', 'd']
const KiB = 1024
/** The share of what is owed fills up now and then. */
const CAP = 4096 * KiB
const DAY_MS = 24 * 60 * 60 * 1000

/** What the books have to hold, counted beside them: by category and entry, reasons together. */
type Expected = Map<string, number>

class World {
  spool: InProcessSpool
  readonly #draw: Draw
  readonly #folder = temporaryFolder()
  readonly #sent: Submission[] = []
  readonly #expected: Expected = new Map()
  readonly #quantities = new Map<number, readonly Quantity[]>()
  #ran = 0

  constructor(draw: Draw) {
    this.#draw = draw
    this.spool = this.#open()
  }

  /** @returns what it did. */
  async step(): Promise<string> {
    const { between } = this.#draw
    const drawn = between(0, this.#deeds.reduce((sum, [weight]) => sum + weight, 0) - 1)
    let left = drawn
    for (const [weight, name, deed] of this.#deeds) {
      left -= weight
      if (left >= 0) continue
      await deed()
      return name
    }
    throw new Error(`nothing was drawn by ${drawn}`)
  }

  errors(): readonly string[] {
    const booked = new Map(
      this.spool.db
        .prepare(
          "SELECT category || ' ' || entry, sum(quantity) FROM books WHERE entry <> 'pending' GROUP BY category, entry",
        )
        .raw()
        .all() as [string, number][],
    )
    const differing = [...new Set([...booked.keys(), ...this.#expected.keys()])].filter(
      (key) => (booked.get(key) ?? 0) !== (this.#expected.get(key) ?? 0),
    )
    return [
      ...bookErrors(this.spool.db),
      ...differing.map((key) => `${key} is ${booked.get(key)}, counted was ${this.#expected.get(key)}`),
    ]
  }

  readonly #deeds: readonly (readonly [weight: number, name: string, deed: () => Promise<void>])[] = [
    [30, 'several arrive in one commit, and one of them comes to nothing', () => this.#arrive(this.#severalMade())],
    [2, 'more arrives than may be owed', () => this.#overflow()],
    [4, 'a receipt comes again', () => this.#comeAgain()],
    [30, 'upstream answers', () => this.#answer()],
    [4, 'what is not posted is settled', () => this.#settle()],
    [6, 'a person sends dead letters again', async () => void (await this.spool.sendAgain(this.#some('dead_letters')))],
    [4, 'a person drops dead letters', () => this.#drop()],
    [4, 'what owes nothing is evicted', () => this.#evict()],
    [3, 'dead letters make room', () => this.#giveUp()],
    [2, 'a day goes by, and what is past due makes room', () => this.#expire()],
    [2, 'a person clears', () => this.#clear()],
    [6, 'it is started again', async () => this.#startAgain()],
    [4, 'a commit comes to nothing', async () => this.#fail()],
    [1, 'a thousand other stamps are seen', async () => this.#seeStamps()],
  ]

  #open(): InProcessSpool {
    const monotonic = (): number => this.#ran
    return openInProcess({ folder: this.#folder, cap: CAP, monotonic })
  }

  #startAgain(): void {
    this.spool.close()
    this.#ran = 0
    this.spool = this.#open()
  }

  #pick<Value>(values: readonly Value[]): Value {
    const value = values[this.#draw.between(0, values.length - 1)]
    if (value === undefined) throw new Error('there is nothing to pick')
    return value
  }

  /** Up to five numbers of a table, or all of them. */
  #some(table: 'owed' | 'dead_letters'): 'all' | readonly number[] {
    if (this.#draw.fraction() < 0.3) return 'all'
    return this.#seqsOf(table)
      .filter(() => this.#draw.fraction() < 0.5)
      .slice(0, 5)
  }

  #seqsOf(table: 'owed' | 'dead_letters'): readonly number[] {
    return this.spool.db.prepare(`SELECT seq FROM ${table} ORDER BY seq`).pluck().all() as number[]
  }

  #count(category: string, entry: string, quantity: number): void {
    const key = `${category} ${entry}`
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + quantity)
  }

  /** @param except items that end otherwise. */
  #decided(seq: number, outcome: Outcome, except: ReadonlySet<number> = new Set()): void {
    for (const [item, { category, quantity }] of (this.#quantities.get(seq) ?? []).entries())
      if (!except.has(item)) this.#count(category, outcome, quantity)
  }

  #made(): Submission {
    const { between, fraction } = this.#draw
    const some = <Value>(most: number, make: () => Value): Value[] => Array.from({ length: between(0, most) }, make)
    const quantities = some(4, () => ({ category: this.#pick(CATEGORIES), quantity: between(1, 20) }))
    const discards: Discard[] = some(2, () => ({
      category: this.#pick(CATEGORIES),
      reason: this.#pick(['sample_rate', 'before_send', 'made-up']),
      quantity: between(1, 50),
    }))
    const fate = this.#pick(['owed', 'owed', 'owed', 'owed', 'copy', 'kept', 'filtered'] as const)
    return submission({
      size: between(10, 4000),
      stamp: this.#pick(STAMPS),
      quantities,
      discards: fraction() < 0.3 ? discards : [],
      door: fate === 'copy' ? 'stream' : 'tunnel',
      fate: fate === 'kept' || fate === 'filtered' ? { outcome: fate, reason: 'drawn' } : fate,
    })
  }

  #severalMade(): readonly Submission[] {
    return Array.from({ length: this.#draw.between(1, 6) }, () => this.#made())
  }

  /** Three quarters of the cap are a share that these fill. */
  async #overflow(): Promise<void> {
    const large = Array.from({ length: 25 }, () => this.#made())
    await this.#evict()
    await this.#arrive(large.map((one) => ({ ...one, ...submission({ size: 130 * KiB }), quantities: one.quantities })))
  }

  async #arrive(arriving: readonly Submission[]): Promise<void> {
    const { writer } = this.spool
    const appended = writer.commit(() =>
      arriving.map((one, at) => {
        const given = writer.attempt(() => writer.append(one))
        if (at === 2)
          expect(() =>
            writer.attempt(() => {
              writer.append(this.#made())
              throw new Error('it comes to nothing')
            }),
          ).toThrow('nothing')
        return given
      }),
    ).answer
    for (const [at, one] of arriving.entries()) {
      const given = appended[at]
      if (given === undefined || !('seq' in given)) continue
      this.#sent.push(one)
      if (one.fate === 'copy') continue
      this.#quantities.set(given.seq, one.quantities)
      for (const { category, quantity } of one.quantities) this.#count(category, 'received', quantity)
      for (const { category, quantity } of one.discards) this.#count(category, 'client_discard', quantity)
      if (one.fate !== 'owed') this.#decided(given.seq, one.fate.outcome)
      else if (given.owedAfter === undefined) this.#decided(given.seq, 'overflow')
    }
    if (appended.some((given) => !('seq' in given))) await this.#evict()
  }

  async #comeAgain(): Promise<void> {
    const kept = new Set(this.spool.db.prepare('SELECT receipt FROM submissions').pluck().all())
    const known = this.#sent.filter(({ receipt }) => kept.has(receipt))
    if (known.length > 0) await this.spool.append(this.#pick(known))
  }

  async #answer(): Promise<void> {
    const owed = this.#seqsOf('owed')
    for (let n = this.#draw.between(1, 6); n > 0 && owed.length > 0; n -= 1) await this.#answerTo(this.#pick(owed))
  }

  /** It may be answered already: then nothing is decided twice. */
  async #answerTo(seq: number): Promise<void> {
    const isOwed = this.#seqsOf('owed').includes(seq)
    const items = this.#quantities.get(seq)?.length ?? 0
    const cut = new Set(Array.from({ length: items }, (_, item) => item).filter(() => this.#draw.fraction() < 0.3))
    const all = (outcome: Outcome, reason: string | null) => [{ item: -1, outcome, reason }]
    const answer = this.#pick(['200', '200', '200', 'cut', '429', '413', '503', 'network', 'refused'])
    switch (answer) {
      case '200':
        await this.spool.deliver(accepted(seq))
        if (isOwed) this.#decided(seq, 'accepted')
        break
      case 'cut': {
        const decision = Array.from({ length: items }, (_, item) =>
          cut.has(item)
            ? { item, outcome: 'rate_limited' as const, reason: 'limited' }
            : { item, outcome: 'accepted' as const, reason: null },
        )
        await this.spool.deliver(accepted(seq, { decision: items === 0 ? all('accepted', null) : decision }))
        if (!isOwed) break
        this.#decided(seq, 'accepted', cut)
        this.#decided(
          seq,
          'rate_limited',
          new Set(Array.from({ length: items }, (_, n) => n).filter((n) => !cut.has(n))),
        )
        break
      }
      case '429':
        await this.spool.deliver(accepted(seq, { status: 429, decision: all('rate_limited', 'upstream_429') }))
        if (isOwed) this.#decided(seq, 'rate_limited')
        break
      case 'refused':
        await this.spool.deliver(accepted(seq, { status: 422, decision: all('invalid', 'upstream_422') }))
        if (isOwed) this.#decided(seq, 'invalid')
        break
      case '413':
        await this.spool.deliver(accepted(seq, { status: 413, decision: null, dead: true }))
        break
      default:
        await this.spool.deliver(accepted(seq, { status: answer === '503' ? 503 : null, decision: null }))
    }
  }

  async #settle(): Promise<void> {
    const owed = this.#seqsOf('owed')
    if (owed.length === 0) return
    const seq = this.#pick(owed)
    await this.spool.settle(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    this.#decided(seq, 'rate_limited')
  }

  async #drop(): Promise<void> {
    const which = this.#some('dead_letters')
    const dead = which === 'all' ? this.#seqsOf('dead_letters') : which
    expect(await this.spool.drop(which)).toBe(dead.length)
    for (const seq of dead) this.#decided(seq, 'dropped')
  }

  async #evict(): Promise<void> {
    await this.spool.evict(await this.spool.owingNothing(Number.MAX_SAFE_INTEGER))
  }

  async #giveUp(): Promise<void> {
    const dead = (await this.spool.deadLetters(Number.MAX_SAFE_INTEGER)).slice(0, 3)
    await this.spool.giveUp(dead)
    for (const seq of dead) this.#decided(seq, 'invalid')
  }

  async #expire(): Promise<void> {
    this.#ran += DAY_MS
    const due = (await this.spool.pastDue(Number.MAX_SAFE_INTEGER)).slice(0, 5)
    await this.spool.expire(due)
    for (const seq of due) this.#decided(seq, 'expired')
  }

  async #clear(): Promise<void> {
    const { owingNothing, deadLetters, owed } = this.spool
    for (const next of [owingNothing, deadLetters, owed]) {
      const seqs = await next(Number.MAX_SAFE_INTEGER)
      await this.spool.clear(seqs)
      if (next !== owingNothing) for (const seq of seqs) this.#decided(seq, 'dropped')
    }
    await this.spool.cleared()
  }

  #fail(): void {
    const { writer } = this.spool
    const [first] = this.#seqsOf('owed')
    expect(() =>
      writer.commit(() => {
        for (let n = 0; n < 3; n += 1) writer.append({ ...this.#made(), stamp: `lost-${n}` })
        if (first !== undefined) writer.deliver(accepted(first))
        writer.dead.drop('all')
        throw new Error('it comes to nothing')
      }),
    ).toThrow('nothing')
  }

  #seeStamps(): void {
    const { writer } = this.spool
    const quantities = [{ category: 'error', quantity: 1 }]
    const arriving = Array.from({ length: 1000 }, (_, n) =>
      submission({ size: 1, stamp: `other-${n}`, quantities, fate: { outcome: 'kept', reason: 'drawn' } }),
    )
    const appended = writer.commit(() => arriving.map((one) => writer.append(one))).answer
    for (const given of appended) {
      if (!('seq' in given)) continue
      this.#quantities.set(given.seq, quantities)
      this.#count('error', 'received', 1)
      this.#decided(given.seq, 'kept')
    }
  }
}
