import type { Limit, LimitsNow, PageLimit } from '../../../lib/wire/limits'
import { type Status, statusSchema, type UpstreamState } from '../../../lib/wire/overview'

/** An idle upstream, except for the given fields. */
export const upstreamOf = (given: Partial<UpstreamState> = {}): UpstreamState => ({
  label: 'o1.ingest.sentry.io/2',
  state: 'idle',
  pending: 0,
  open: 0,
  deadLetters: 0,
  deferred: 0,
  paused: null,
  retryAt: null,
  last: null,
  standIn: false,
  ...given,
})

/** A limit of that upstream. */
export const limitOf = (given: Pick<Limit, 'category' | 'receivedAt' | 'until'>): Limit => ({
  upstream: upstreamOf().label,
  reason: null,
  scope: null,
  sourceSeq: null,
  cut: 0,
  ...given,
})

/** A page that obeys a limit of transactions from second 1 to 61, except for the given fields. */
export const pageLimitOf = (given: Partial<PageLimit> = {}): PageLimit => ({
  page: 'page-1',
  upstream: 'sentry.io, project 1',
  category: 'transaction',
  sentAt: 1_000,
  until: 61_000,
  sentWith: 1,
  violated: null,
  resumed: null,
  verdict: 'obeyed',
  ...given,
})

/** No limits, except for the given fields. */
export const limitsNowOf = (given: Partial<LimitsNow> = {}): LimitsNow => ({
  now: 0,
  limits: [],
  ended: [],
  pages: [],
  unnamed: 0,
  passLimits: true,
  holdErrors: false,
  ...given,
})

/** A status without problems, except for the given fields. */
export const statusOf = (given: Partial<Status> & Pick<Status, 'now'>): Status =>
  statusSchema.parse({
    storage: { state: 'ok', trouble: null },
    upstreams: [upstreamOf()],
    stranded: [],
    script: null,
    shown: null,
    run: null,
    localDsn: null,
    limits: [],
    holdErrors: false,
    ...given,
  })
