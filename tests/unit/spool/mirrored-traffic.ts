import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openForWriting } from '../../../collector/runtime/database'
import type { JournalPage } from '../../../collector/spool/mirror/journal-page'
import { Mirror } from '../../../collector/spool/mirror/mirror'
import { migrate } from '../../../collector/spool/schema'
import type { ReportedLimit, Submission } from '../../../lib/protocol/submission'
import type { Random } from '../../faults/random'
import { submission, temporaryFolder } from './in-process-spool'
import { answersOf, type Numbers, SENDERS, SHARED } from './mirror-answers'
import { PageRecorder } from './mirror-pages'
import { pickFrom } from './random-submission'
import { RandomTraffic } from './random-traffic'

const NOW = 1_700_000_000_000

export interface OpenMirror {
  readonly db: Database
  readonly mirror: Mirror
  readonly folder: string
}

/** A mirror on a real file, in this thread. */
export function openMirror(folder = temporaryFolder(), options: { readonly cap?: number } = {}): OpenMirror {
  const db = openForWriting(join(folder, 'spool.db'), 'NORMAL')
  migrate(db)
  return { db, folder, mirror: new Mirror(db, { now: () => NOW, monotonic: () => 0, ...options }) }
}

/** Random traffic of one spool with everything that a mirror copies, as pages of a shared journal. */
export class MirroredTraffic {
  readonly #draw: Random
  readonly #traffic: RandomTraffic
  readonly #recorder: PageRecorder
  readonly #reported = new Map<string, readonly ReportedLimit[]>()

  constructor(draw: Random) {
    this.#draw = draw
    this.#traffic = new RandomTraffic(draw)
    this.#recorder = new PageRecorder(() => this.#traffic.spool, this.#reported)
  }

  /** Runs some random operations. @returns their facts, as one page unless that would change which stamps are kept */
  async pages(steps: number): Promise<readonly JournalPage[]> {
    const pages: (JournalPage | null)[] = []
    for (let step = 0; step < steps; step += 1) {
      this.#recorder.follow()
      const did = this.#draw.fraction() < 0.5 ? await this.#traffic.step() : await this.#sendMore()
      // Stamps are dropped at the end of a transaction, and a page is one.
      const isAlone = did === 'a thousand other stamps are seen'
      if (isAlone) pages.push(this.#recorder.page())
      this.#recorder.gather()
      if (isAlone) pages.push(this.#recorder.page())
    }
    // A page has at least one fact.
    this.#recorder.follow()
    await this.#traffic.spool.noteChanged()
    this.#recorder.gather()
    return [...pages, this.#recorder.page()].filter((page) => page !== null)
  }

  /** The answers of the spool itself. @param seqs shared numbers of records */
  answers(seqs: readonly number[]): ReturnType<typeof answersOf> {
    const locals = new Map(seqs.map((seq) => [seq, 0]))
    for (let local = 1; ; local += 1) {
      const shared = this.#sharedOrNull(local)
      if (shared === null) break
      locals.set(shared, local)
    }
    const numbers: Numbers = {
      toLocal: (shared) => locals.get(shared) ?? 0,
      toShared: (local) => (local === 0 ? 0 : this.#recorder.numberOf(local)),
    }
    return answersOf(this.#traffic.spool.db, numbers, seqs)
  }

  close(): void {
    this.#traffic.spool.close()
  }

  #sharedOrNull(local: number): number | null {
    try {
      return this.#recorder.numberOf(local)
    } catch {
      return null
    }
  }

  async #sendMore(): Promise<string> {
    const { spool } = this.#traffic
    const { between, fraction } = this.#draw
    const some = between(0, 6)
    const name = `mark/${between(0, 5)}`
    if (some === 0)
      await spool.countRefusal(pickFrom(this.#draw, ['unknown', 'full']), between(0, 99), `POST /${between(0, 60)}`)
    else if (some === 1) await spool.countPages(between(0, 3), between(0, 2))
    else if (some === 2) await spool.saveSetting(name, fraction() < 0.3 ? null : JSON.stringify({ at: between(0, 99) }))
    else if (some === 3)
      await spool.subtractReported('key', '1', [{ category: 'error', reason: 'limited', quantity: between(1, 5) }])
    else if (some === 4) await this.#limit()
    else await this.#appendFromPage()
    return 'more is sent'
  }

  /** Of one category, so that the period does not depend on the order within a page. */
  async #limit(): Promise<void> {
    const newest = await this.#traffic.spool.usage()
    await this.#recorder.storeLimits([
      {
        publicKey: 'key',
        project: '1',
        category: 'error',
        until: NOW + this.#draw.between(1, 60) * 1000,
        receivedAt: NOW,
        reason: null,
        scope: null,
        sourceSeq: newest.newest === 0 ? null : newest.newest,
      },
    ])
  }

  async #appendFromPage(): Promise<void> {
    const { between, fraction } = this.#draw
    const { facts } = submission()
    const reportedLimits =
      fraction() < 0.3 ? [{ category: pickFrom(this.#draw, ['error', 'all']), until: NOW + between(-9, 9) * 1000 }] : []
    const given: Submission = submission({
      size: between(10, 4000),
      receivedAt: NOW + between(-20, 20) * 1000,
      reportedLimits,
      facts: {
        ...facts,
        page: fraction() < 0.8 ? `page-${between(1, 3)}` : null,
        ...(fraction() < 0.5 && { visitor: pickFrom(this.#draw, SENDERS.visitors) }),
      },
    })
    this.#reported.set(given.receipt, reportedLimits)
    await this.#traffic.spool.append(given)
  }
}

/** The answers of a mirror. @param seqs numbers of records */
export const mirrorAnswers = ({ db }: OpenMirror, seqs: readonly number[]): ReturnType<typeof answersOf> =>
  answersOf(db, SHARED, seqs)
