import { formatCount, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import type { Overview } from '../../lib/wire/overview'
import { categoryWord } from '../ui/category-word'
import type { GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { formatAge, formatLeft } from '../ui/times'
import { limitsInForce } from '../ui/upstream-text'

/** Items that leave the path after a stop. */
interface Spur {
  readonly glyph: GlyphName
  readonly tone: 'quiet' | 'warn' | 'bad'
  readonly text: string
  readonly href: string
}

export interface Stop {
  readonly id: 'apps' | 'received' | 'stored' | 'upstream'
  readonly name: string
  /** `null`: the stop counts nothing. */
  readonly count: number | null
  readonly unit: string
  readonly detail: string
  /** `off`: nothing reaches it. */
  readonly state: 'ok' | 'waiting' | 'failed' | 'off'
  /** True when the line after it is dashed: nothing gets on from here. */
  readonly isCut: boolean
  readonly spur: Spur | null
}

export interface PathState {
  /** `null` before the first answer. */
  readonly figures: Figures | null
  readonly overview: Overview | null
  /** False until an app sent something. */
  readonly isConnected: boolean
  readonly nowMs: number
}

/** The stops of telemetry. Counts are items of the last 15 minutes; in a saved run, all of them. */
export function pathStops(state: PathState): readonly Stop[] {
  const { figures, overview, isConnected } = state
  const isShown = overview?.isShown ?? false
  const line = isShown ? null : (figures?.line ?? null)
  const isRefusing = !isConnected && (overview?.counts.refused ?? 0) > 0
  const received = isShown ? (overview?.items.received ?? null) : (line?.received ?? null)
  const stored = isShown ? (overview?.items.received ?? null) : (line?.stored ?? null)
  return [
    {
      ...{ id: 'apps', name: 'Apps', count: line?.apps ?? null },
      unit: isShown ? 'a recording' : line?.apps === 1 ? 'app connected' : 'apps connected',
      detail: isShown ? 'nothing arrives' : isConnected ? 'in the last 15 minutes' : 'no app has sent anything yet',
      state: isConnected || isRefusing ? 'ok' : 'failed',
      isCut: !isConnected && !isRefusing,
      spur: isShown ? null : lostBeforeSending(figures),
    },
    {
      ...{ id: 'received', name: 'Received', count: received },
      unit: received === 1 ? 'item' : 'items',
      detail: isShown ? 'in this recording' : arrivalText(state),
      state: isConnected ? 'ok' : isRefusing ? 'failed' : 'off',
      isCut: !isConnected,
      spur: isShown || line === null ? null : refusedSpur(line.received - line.stored),
    },
    {
      ...{ id: 'stored', name: 'Stored', count: stored, unit: 'on disk' },
      detail: ledgerText(figures),
      state: isConnected ? 'ok' : 'off',
      isCut: !isConnected || (!isShown && isUpstreamStopped(state)),
      spur: isShown ? null : upstreamSpur(state),
    },
    upstreamStop(state),
  ]
}

const isUpstreamStopped = ({ overview, nowMs }: PathState): boolean =>
  overview !== null && (overview.upstreams.some(isAway) || limitsInForce(overview.limits, nowMs).length > 0)

const isAway = ({ state }: Overview['upstreams'][number]): boolean => state === 'paused' || state === 'backing_off'

function lostBeforeSending(figures: Figures | null): Spur | null {
  const [first, ...others] = (figures?.navigation.losses ?? []).filter(({ by }) => by === 'sdk')
  if (first === undefined) return null
  const more = others.length === 0 ? '' : `, ${others.length} more`
  return {
    ...{ glyph: 'lost', tone: 'warn', href: '/losses' },
    text: `${formatCount(first.quantity)} ${categoryWord(first.category, first.quantity)} lost before sending${more}`,
  }
}

const refusedSpur = (refused: number): Spur => ({
  ...{ glyph: 'invalid', href: '/losses', text: `${formatCount(refused)} refused` },
  tone: refused > 0 ? 'bad' : 'quiet',
})

function upstreamSpur({ overview, nowMs }: PathState): Spur | null {
  if (overview === null) return null
  const away = overview.upstreams.find(isAway)
  if (away?.state === 'paused')
    return {
      glyph: 'invalid',
      tone: 'bad',
      text: `upstream refuses, answered ${away.paused?.status}`,
      href: '/deliveries',
    }
  if (away !== undefined)
    return { glyph: 'pending', tone: 'warn', text: 'upstream does not answer', href: '/deliveries' }
  const [limit, ...others] = limitsInForce(overview.limits, nowMs)
  if (limit === undefined) return null
  const more = others.length === 0 ? '' : `, ${others.length} more`
  const left = formatLeft(limit.until, nowMs) ?? '0 s'
  return {
    ...{ glyph: 'rate_limited', tone: 'warn', href: '/limits' },
    text: `${printable(limit.category)} limited, ${left} left${more}`,
  }
}

function upstreamStop(state: PathState): Stop {
  const { figures, overview, isConnected } = state
  const isShown = overview?.isShown ?? false
  const line = figures?.line
  const stop = { id: 'upstream', name: 'Upstream', isCut: false, spur: null } as const
  if (overview?.localOnly)
    return {
      ...stop,
      count: null,
      unit: isShown ? 'a copy' : 'local only',
      detail: 'nothing leaves this machine',
      state: 'off',
    }
  const count = isShown ? (overview?.items.outcomes.accepted ?? null) : (line?.accepted ?? null)
  const details = [
    ...(line !== undefined && line.pending > 0 ? [`${formatCount(line.pending)} pending`] : []),
    ...(line !== undefined && line.limited > 0 ? [`${formatCount(line.limited)} rate limited`] : []),
  ]
  return {
    ...stop,
    count,
    unit: 'accepted',
    detail: isShown ? 'in this recording' : details.length === 0 ? 'nothing is pending' : details.join(', '),
    state: !isConnected ? 'off' : isUpstreamStopped(state) && !isShown ? 'waiting' : 'ok',
  }
}

function arrivalText({ figures, isConnected, nowMs, overview }: PathState): string {
  const refused = overview?.counts.refused ?? 0
  if (!isConnected)
    return refused > 0
      ? `${plural(refused, 'request')} came and ${refused === 1 ? 'was' : 'were'} refused`
      : 'nothing yet'
  const last = figures?.line.lastEnvelope ?? null
  if (last === null) return 'nothing in the last hour'
  const age = formatAge(last, nowMs + 999)
  return `last envelope ${age === 'now' ? 'now' : `${age} ago`}`
}

function ledgerText(figures: Figures | null): string {
  const [first] = figures?.line.unexplained ?? []
  if (figures === null) return ''
  return first === undefined
    ? 'ledger balances'
    : `ledger: ${formatCount(first.quantity)} of ${printable(first.category)} unexplained`
}
