import { describe, expect, it } from 'vitest'
import { gather } from '../../../collector/cli/judge/gather'
import { timeoutMessage } from '../../../lib/time'
import type { EnvelopesPage } from '../../../lib/wire/envelope'
import type { JournalFact, Recorded, RecordedOptions } from '../../../lib/wire/journal'
import type { LimitsNow } from '../../../lib/wire/limits'
import { errorEnvelope } from '../../flow/envelopes'
import { limitsNowOf, pageLimitOf } from '../dashboards/status-samples'
import { lossesOf } from '../verdict/expectations/sample-losses'
import { decodeSubmission } from '../verdict/rules/sample-evidence'
import { decidedAt } from './sample-envelope'
import { sampleOverview } from './sample-overview'
import { EMPTY_STORAGE } from './sample-storage'

const DSN = 'http://local@127.0.0.1:8969/1'

const recordedAt = (n: number, given: Partial<Recorded> = {}, message = `error ${n}`): Recorded => ({
  ...decodeSubmission({ body: '', receivedAt: 1000 + n }, n - 1),
  body: Buffer.from(errorEnvelope(DSN, { message }).body).toString('base64'),
  ...given,
})

interface Kept {
  readonly record: Recorded[]
  readonly facts?: readonly JournalFact['kind'][]
  readonly refusals?: readonly { readonly reason: string; readonly envelopes: number }[]
  readonly damaged?: number[]
  readonly growing?: boolean
  readonly withStatus?: EnvelopesPage['envelopes']
  readonly limitedPages?: LimitsNow['pages']
}
type Client = Parameters<typeof gather>[0]['client']
/** The last thing that a question is requested with is what ends it. */
const forEver = (...requested: readonly unknown[]): Promise<never> =>
  new Promise((_, reject) => {
    const last = requested.at(-1) as AbortSignal | { readonly signal: AbortSignal }
    const signal = last instanceof AbortSignal ? last : last.signal
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** Reads a collector that has recorded so much, two to a page. */
async function gathered(
  kept: Kept,
  given: { stamp?: string; after?: number; most?: number; silent?: keyof Client } = {},
) {
  const requested: RecordedOptions[] = []
  const turns: string[] = []
  const record = [...kept.record]
  const { stamp = null, after = null, most = 100 } = given
  const client: Client = {
    recorded: async (options = {}) => {
      requested.push(options)
      setImmediate(() => setImmediate(() => turns.push('turned')))
      const { after: from = 0 } = options
      const page = record.filter(({ journal }) => journal > from).slice(0, 2)
      const journal = record.length
      // One more arrives with every look.
      if (kept.growing === true) record.push(recordedAt(record.length + 1))
      const next = page.length < 2 ? journal : (page.at(-1)?.journal ?? journal)
      return { recorded: page, damaged: from === 0 ? (kept.damaged ?? []) : [], next, journal, oldest: 1 }
    },
    facts: async (from) => ({
      facts: (kept.facts ?? []).map((kind, index) => ({ n: from + index + 1, at: 0, kind, seq: null })),
      next: from,
      oldest: 1,
    }),
    overview: async () => {
      turns.push('requested')
      return sampleOverview({ refusals: [...(kept.refusals ?? [])] })
    },
    storage: async () => EMPTY_STORAGE,
    limits: async () => limitsNowOf({ pages: [...(kept.limitedPages ?? [])] }),
    losses: async ({ stamp: of } = {}) => lossesOf({ stamp: of ?? null, made: 99 }),
    envelopes: async () => ({ envelopes: [...(kept.withStatus ?? [])], next: null, journal: record.length }),
    envelope: async () => null,
  }
  const onProgress = (done: number, of: number) => progress.push(`${done}/${of}`)
  const progress: string[] = []
  const { silent } = given
  const end = await gather({
    client: silent === undefined ? client : { ...client, [silent]: forEver },
    timeoutMs: silent === undefined ? 10_000 : 50,
    collectorUrl: 'http://127.0.0.1:8969',
    stamp,
    after,
    stop: new AbortController().signal,
    onProgress,
    most: { submissions: most, bytes: 1e9 },
  })
  return { ...end, seqs: end.given.evidence.envelopes.map(({ seq }) => seq), requested, progress, turns }
}

const [one, other] = ['a'.repeat(32), 'b'.repeat(32)] as const
const inTrace = (of: string) => Buffer.from(errorEnvelope(DSN, { traceId: of }).body).toString('base64')

describe('the input of a verdict', () => {
  it('includes everything that was recorded at its start, page by page', async () => {
    const { seqs, requested, progress, gaps, losses } = await gathered({
      record: [1, 2, 3, 4, 5].map((n) => recordedAt(n)),
      growing: true,
    })
    expect(seqs.slice(0, 5)).toEqual([1, 2, 3, 4, 5])
    expect(requested.map(({ after }) => after)).toEqual([0, 2, 4])
    expect(progress).toEqual(['2/5', '4/5', '5/5'])
    expect(gaps).toEqual([])
    expect(losses?.stamp).toBeNull()
  })

  it('notices connections that were closed while it parsed, before it requests more', async () => {
    const { turns } = await gathered({ record: [recordedAt(1)] })
    expect(turns).toEqual(['turned', 'requested'])
  })

  it('includes only the newest envelopes when there are too many, and says so', async () => {
    const { seqs, gaps } = await gathered({ record: [1, 2, 3, 4, 5].map((n) => recordedAt(n)) }, { most: 2 })
    expect(seqs).toEqual([4, 5])
    expect(gaps).toEqual(['the oldest 3 envelopes were not checked, because there are too many'])
  })

  it('knows when the left-out envelopes arrived', async () => {
    const record = [1, 2, 3, 4, 5].map((n) => recordedAt(n))
    const unseen = async (kept: Partial<Kept>, given: { after?: number; most?: number } = {}) =>
      (await gathered({ record, ...kept }, given)).given.missing
    expect(await unseen({})).toEqual([])
    expect(await unseen({}, { after: 0 })).toEqual([])
    expect(await unseen({}, { most: 2 })).toEqual([{ from: 0, until: 1003 }])
    expect(await unseen({ facts: ['received'] }, { after: 2 })).toEqual([{ from: 0, until: 0 }])
    expect(await unseen({}, { after: 2 })).toEqual([{ from: 0, until: 1003 }])
    expect(await unseen({ record: record.filter(({ seq }) => seq !== 3), damaged: [3] })).toEqual([
      { from: 1002, until: 1004 },
    ])
  })

  it('includes envelopes with a stamp, and unstamped ones of its traces', async () => {
    const { seqs, losses } = await gathered(
      {
        record: [
          recordedAt(1, { body: inTrace(one) }),
          recordedAt(2, { stamp: 'mine', body: inTrace(one) }),
          recordedAt(3),
          recordedAt(4, { stamp: 'yours', body: inTrace(one) }),
        ],
      },
      { stamp: 'mine' },
    )
    expect(seqs).toEqual([1, 2])
    expect(losses?.stamp).toBe('mine')
  })

  it('includes only the traces of the stamp from a batch of two tests', async () => {
    const [, ...items] = errorEnvelope(DSN, { traceId: other, message: 'of other' }).body.split('\n')
    const batch = Buffer.from([errorEnvelope(DSN, { traceId: one, message: 'of one' }).body, ...items].join('\n'))
    const record = [
      recordedAt(1, { body: batch.toString('base64') }),
      recordedAt(2, { stamp: 'mine', body: inTrace(one) }),
      recordedAt(3, { stamp: 'both', body: inTrace(one) }),
      recordedAt(4, { stamp: 'both', body: inTrace(other) }),
    ]
    const { given } = await gathered({ record }, { stamp: 'mine' })
    expect(given.evidence.events.map(({ title, seq }) => `${seq} ${title}`)).toEqual([
      '1 Error: of one',
      '2 Error: boom',
    ])
    const both = await gathered({ record }, { stamp: 'both' })
    expect(both.given.evidence.events.map(({ seq }) => seq)).toEqual([1, 1, 3, 4])
  })

  it('keeps the order of arrival when a later submission claims an earlier one', async () => {
    const record = [
      recordedAt(1, { body: inTrace(other) }),
      recordedAt(2, { stamp: 'mine', body: inTrace(one) }),
      recordedAt(3, { stamp: 'mine', body: inTrace(other) }),
    ]
    const { seqs, given } = await gathered({ record }, { stamp: 'mine' })
    expect(seqs).toEqual([1, 2, 3])
    expect(given.evidence.events.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('includes only the limits of its own pages for a part of the recording', async () => {
    const record = [recordedAt(1, { page: 'yours' }), recordedAt(2, { page: 'mine', stamp: 'mine' })]
    const limitedPages = ['yours', 'mine'].map((page) => pageLimitOf({ page }))
    const pagesOf = ({ given }: Awaited<ReturnType<typeof gathered>>) => given.pageLimits?.pages.map(({ page }) => page)
    expect(pagesOf(await gathered({ record, limitedPages }))).toEqual(['yours', 'mine'])
    expect(pagesOf(await gathered({ record, limitedPages }, { stamp: 'mine' }))).toEqual(['mine'])
    expect(pagesOf(await gathered({ record, limitedPages }, { after: 1 }))).toEqual(['mine'])
  })

  it.each(['recorded', 'overview', 'losses', 'facts'] as const)(
    'fails when the collector does not answer the request for %s',
    async (silent) => {
      const reading = gathered({ record: [recordedAt(1)] }, { silent, ...(silent === 'facts' ? { after: 1 } : {}) })
      const cause: unknown = await reading.catch((error: unknown) => error)
      expect(timeoutMessage(cause)).toBe('timed out after 0.05 s')
    },
  )

  it('is incomplete when envelopes were refused or stored bytes are damaged', async () => {
    const { gaps } = await gathered({
      record: [recordedAt(1)],
      refusals: [
        { reason: 'unknown_project', envelopes: 2 },
        // Any page can cause these.
        { reason: 'origin', envelopes: 3 },
        { reason: 'host', envelopes: 1 },
      ],
      damaged: [7],
    })
    expect(gaps).toEqual([
      '2 envelopes were refused at the endpoint: 2 unknown_project',
      '1 envelope cannot be read: the bytes on disk are damaged',
    ])
  })

  it('includes the losses and the journal after a number', async () => {
    const record = [1, 2, 3].map((n) => recordedAt(n))
    const refusals = [{ reason: 'unknown_project', envelopes: 2 }]
    const withStatus = [
      decidedAt(3, { name: 'rate_limited', reason: 'upstream_429' }),
      decidedAt(2, { name: 'kept', reason: null }),
    ]
    const whole = await gathered({ record, refusals, withStatus, facts: ['received', 'digested'] }, { after: 1 })
    expect(whole).toMatchObject({ seqs: [2, 3], gaps: [] })
    expect(whole.losses).toMatchObject({
      categories: [{ category: 'error', made: 2, kept: 1, lost: 1 }],
      losses: [{ by: 'upstream', reason: 'upstream_429', category: 'error', quantity: 1 }],
    })
    const torn = await gathered({ record, withStatus, facts: ['refused', 'evicted', 'cleared'] }, { after: 1 })
    expect(torn.gaps).toEqual([
      'envelopes were refused at the endpoint since then',
      'submissions were evicted since then: raise WAYSTATION_MAX_DISK',
      'the recording was cleared since then',
    ])
  })
})
