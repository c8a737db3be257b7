import { formatCount, plural } from '../../lib/format'
import { NETWORK_ERROR } from '../../lib/protocol/outcome'
import type { Figures } from '../../lib/wire/figures'
import { adviceFor } from '../../lib/wire/loss-advice'
import { lossReason } from '../../lib/wire/loss-text'
import type { Overview } from '../../lib/wire/overview'
import type { Programs } from '../../lib/wire/programs'
import { categoryWord } from '../ui/category-word'
import { printable } from '../ui/printable'
import { formatLeft } from '../ui/times'
import { deadLettersOf, deadLetterText, limitsInForce, pausedText, strandedText } from '../ui/upstream-text'

export interface NextStep {
  readonly text: string
  readonly action: { readonly label: string; readonly href: string }
}

interface Known {
  readonly overview: Pick<Overview, 'upstreams' | 'stranded' | 'limits' | 'isShown' | 'store'>
  /** A sentence about what keeps the collector from storing; `null` when all is well. */
  readonly diskTrouble: string | null
  readonly losses: Figures['navigation']['losses']
  readonly programs: Programs['programs']
  readonly nowMs: number
}

/** The most urgent thing that a person can do; `null` when there is nothing. */
export function nextStep(known: Known): NextStep | null {
  if (known.overview.isShown) return null
  for (const step of STEPS) {
    const found = step(known)
    if (found !== null) return found
  }
  return null
}

type Step = (known: Known) => NextStep | null

const OVERFLOWS = ['queue_overflow', 'buffer_overflow', 'cache_overflow']

/** Problems of the present, the most harmful first, then losses of the last 15 minutes. */
const STEPS: readonly Step[] = [
  ({ overview }) => {
    const paused = overview.upstreams.find(({ state }) => state === 'paused')
    return paused === undefined
      ? null
      : {
          text: `${printable(paused.label)} accepts nothing. ${pausedText(paused)} Is the DSN in WAYSTATION_UPSTREAM still valid (Sentry: Settings, Client Keys)?`,
          action: { label: 'Show the deliveries', href: '/deliveries' },
        }
  },
  ({ overview: { stranded } }) => {
    const [first] = stranded
    return first === undefined
      ? null
      : { text: strandedText(first), action: { label: 'Show the storage', href: '/storage' } }
  },
  ({ diskTrouble, overview: { store } }) =>
    diskTrouble === null
      ? null
      : {
          text: `${diskTrouble}.${store === undefined ? ' Raise WAYSTATION_MAX_DISK, make upstream accept the pending envelopes, or clear the recording.' : store.away === null ? '' : ' Is PostgreSQL running, and can this collector reach it?'}`,
          action: { label: 'Show the storage', href: '/storage' },
        },
  ({ overview: { limits }, nowMs }) => {
    const [limit] = limitsInForce(limits, nowMs)
    return limit === undefined
      ? null
      : {
          text: `Upstream limits ${printable(limit.category)} for another ${formatLeft(limit.until, nowMs) ?? '0 s'}. Lower the sample rates, or raise the quota.`,
          action: { label: 'Show who still sends it', href: '/limits' },
        }
  },
  ({ overview: { upstreams } }) => {
    const dead = deadLettersOf(upstreams)
    return dead === 0
      ? null
      : {
          text: `${plural(dead, 'dead letter')} ${dead === 1 ? 'waits' : 'wait'} for a decision. ${deadLetterText(dead)}`,
          action: { label: 'Show the dead letters', href: '/deliveries?show=dead-letters' },
        }
  },
  ({ losses }) => lossStep(losses, OVERFLOWS),
  ({ losses }) => lossStep(losses, [NETWORK_ERROR]),
  ({ programs }) => {
    const program = programs.find(({ problems }) => problems.length > 0)
    const [problem] = program?.problems ?? []
    return program === undefined || problem === undefined
      ? null
      : {
          text: `${printable(program.service)} (${printable(program.sdk ?? 'unknown SDK')}) sends ${problem.found}. ${problem.fix}`,
          action: { label: 'Check the contract', href: '/contract' },
        }
  },
]

function lossStep(losses: Known['losses'], reasons: readonly string[]): NextStep | null {
  const lost = losses.find(({ by, reason }) => by === 'sdk' && reasons.includes(reason))
  if (lost === undefined) return null
  const { category, quantity } = lost
  const what = `${formatCount(quantity)} ${categoryWord(category, quantity)} lost before sending in the last 15 minutes`
  return {
    text: `${what}: ${printable(lossReason(lost))}. ${adviceFor(lost).text}`,
    action: { label: 'Show the losses', href: '/losses' },
  }
}
