import type { Limit, LimitsNow } from '../../../lib/wire/limits'
import { type Status, statusSchema, type UpstreamState } from '../../../lib/wire/overview'

/** An upstream that is pending nothing, but for what is given. */
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

/** A limit of that upstream, told at one moment and over at another. */
export const limitOf = (given: Pick<Limit, 'category' | 'receivedAt' | 'until'>): Limit => ({
  upstream: upstreamOf().label,
  reason: null,
  scope: null,
  sourceSeq: null,
  cut: 0,
  ...given,
})

/** Nothing is limited, but what is given. */
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

/** All is well, but for what is given. */
export const statusOf = (given: Partial<Status> & Pick<Status, 'now'>): Status =>
  statusSchema.parse({
    storage: { state: 'ok', trouble: null },
    upstreams: [upstreamOf()],
    stranded: [],
    script: null,
    limits: [],
    holdErrors: false,
    ...given,
  })
