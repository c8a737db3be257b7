import { OUTCOMES } from '../../../lib/protocol/outcome'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { upstreamOf } from '../dashboards/status-samples'
import { decidedAt } from './sample-envelope'

/** The parts of an overview that tests set. */
export interface OverviewSample extends Partial<UpstreamState> {
  readonly journal?: number
  readonly digest?: 'pending' | 'digested'
  readonly envelopes?: number
  readonly copies?: number
  readonly refusals?: Overview['refusals']
  readonly localOnly?: boolean
}

/** An overview with one upstream. */
export function sampleOverview(given: OverviewSample): Overview {
  const {
    journal = 0,
    digest = 'digested',
    envelopes = 0,
    copies = 0,
    refusals = [],
    localOnly = false,
    ...state
  } = given
  const zero = { traces: 0, segments: 0, spans: 0, errors: 0, breadcrumbs: 0 }
  const refused = refusals.reduce((sum, one) => sum + one.envelopes, 0)
  return {
    run: null,
    isShown: false,
    now: 0,
    startedAt: 0,
    journal,
    localDsn: '',
    dataFolder: '',
    counts: { ...zero, envelopes, copies, refused },
    refusals,
    pages: { documents: 0, posted: 0 },
    items: {
      received: 0,
      pending: 0,
      outcomes: Object.fromEntries(OUTCOMES.map((one) => [one, 0])) as Overview['items']['outcomes'],
    },
    last: { ...LAST, digest },
    localOnly,
    upstreams: localOnly ? [] : [upstreamOf({ label: 'sentry.test/1', ...state })],
    stranded: [],
    script: null,
    limits: [],
    labRelay: false,
  }
}

const LAST: NonNullable<Overview['last']> = {
  ...decidedAt(1, { name: 'kept', reason: null }, []),
  receivedAt: 0,
  digestedAt: null,
  digest: 'digested',
}
