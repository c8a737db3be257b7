import type { RecordingClient } from '../../../lib/kit/recording'
import { CollectorError } from '../../../lib/wire/collector-client'
import type { RecordedPage } from '../../../lib/wire/journal'
import type { LimitsNow } from '../../../lib/wire/limits'
import { answerSchema, type GivenScript, type PlayedScript } from '../../../lib/wire/stand-in'
import { limitsNowOf } from '../dashboards/status-samples'
import { type LossesSample, lossesOf } from '../verdict/expectations/sample-losses'

/** ms since the epoch: the `sent_at` of the sample envelopes. */
export const STARTED_AT = Date.parse('2026-11-20T10:00:00Z')

export interface FakeCollector {
  readonly client: RecordingClient
  /** Records an envelope. @returns its sequence number, equal to its journal number */
  readonly record: (body: string, stamp?: string | null, page?: string | null, origin?: string) => number
  /** The collector no longer accepts connections. */
  readonly die: () => void
  readonly rise: () => void
  /** The collector accepts requests and no longer answers. */
  readonly freeze: () => void
  /** Adds a journal entry that is no submission. */
  readonly note: () => void
  readonly damage: (seq: number) => void
  /** Number of requests for recorded submissions. */
  readonly requested: () => number
  readonly losses: LossesSample
  readonly limits: Partial<LimitsNow>
  readonly played: () => PlayedScript | null
  /** All scripts, in order. */
  readonly scripts: () => readonly GivenScript[]
}

/** A collector in memory that answers at once or when something arrives. */
export function fakeCollector({ standIn = false } = {}): FakeCollector {
  type Recorded = RecordedPage['recorded'][number]
  const all: Recorded[] = []
  const damaged = new Set<number>()
  const waiting = new Set<() => void>()
  const losses: LossesSample = {}
  const limits: Partial<LimitsNow> = {}
  let journal = 0
  let dead = false
  let frozen = false
  let requested = 0
  let played: PlayedScript | null = null
  const scripts: GivenScript[] = []
  const wake = (): void => {
    for (const one of [...waiting]) one()
  }
  const refuse = (): CollectorError => new CollectorError(null, 'the collector cannot be reached')

  /** Rejects or hangs if the collector is gone or frozen. */
  const answers = async (signal?: AbortSignal): Promise<void> => {
    if (dead) throw refuse()
    if (frozen)
      await new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
      )
  }

  return {
    losses,
    limits,
    requested: () => requested,
    played: () => played,
    scripts: () => scripts,
    note: () => {
      journal += 1
      wake()
    },
    damage: (seq) => damaged.add(seq),
    die: () => {
      dead = true
      wake()
    },
    rise: () => {
      dead = false
    },
    freeze: () => {
      frozen = true
    },
    record: (body, stamp = null, page = null, origin) => {
      journal += 1
      const facts = {
        project: '1',
        publicKey: 'local',
        userAgent: null,
        origin: origin ?? null,
        endpoint: 'tunnel' as const,
      }
      const base64 = Buffer.from(body).toString('base64')
      all.push({ ...facts, seq: journal, journal, receivedAt: STARTED_AT + 1_000 * journal, stamp, page, body: base64 })
      wake()
      return journal
    },
    client: {
      recorded: async ({ after = 0, wait = 0, limit = 200, stamp, unstamped, signal } = {}) => {
        requested += 1
        await answers(signal)
        const found = (): readonly Recorded[] =>
          all.filter(
            (one) =>
              one.journal > after &&
              (stamp === undefined || one.stamp === stamp || (unstamped === true && one.stamp === null)),
          )
        while (!dead && wait > 0 && found().length === 0) {
          if (signal?.aborted) throw new DOMException('aborted', 'AbortError')
          await new Promise<void>((resolve) => {
            const woken = (): void => {
              waiting.delete(woken)
              resolve()
            }
            waiting.add(woken)
            signal?.addEventListener('abort', woken, { once: true })
          })
        }
        if (dead) throw refuse()
        const page = found().slice(0, limit)
        const last = page.at(-1)
        return {
          recorded: page.filter(({ seq }) => !damaged.has(seq)),
          damaged: page.filter(({ seq }) => damaged.has(seq)).map(({ seq }) => seq),
          next: page.length === limit && last !== undefined ? last.journal : journal,
          journal,
          oldest: all[0]?.journal ?? 0,
        }
      },
      flushServices: async (signal) => {
        await answers(signal)
        return { flushed: [], unanswered: [] }
      },
      losses: async ({ signal } = {}) => {
        await answers(signal)
        return lossesOf(losses)
      },
      limits: async (signal) => {
        await answers(signal)
        return limitsNowOf(limits)
      },
      standIn: async () => (standIn ? { now: 0, answers: [], received: [] } : null),
      play: async (script) => {
        const { answers } = script
        scripts.push(script)
        played = { now: 0, answers: answers.map((one) => ({ ...answerSchema.parse(one), endsAt: null })) }
        return played
      },
    },
  }
}
