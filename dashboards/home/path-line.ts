import { formatCount, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import type { Overview } from '../../lib/wire/overview'
import { categoryWord } from '../ui/category-word'
import type { GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { formatAge, formatLeft } from '../ui/times'
import { deadLettersOf, isFailure, isTroubled, limitsInForce, lostItemsText } from '../ui/upstream-text'

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
  /** `null`: the stop counts nothing, or nothing is known yet. */
  readonly count: number | null
  readonly unit: string
  readonly detail: string
  /** `off`: nothing reaches it. `unknown`: the collector has not answered yet. */
  readonly state: 'ok' | 'waiting' | 'failed' | 'off' | 'unknown'
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

/** A state of which both answers have arrived. */
interface KnownState extends PathState {
  readonly figures: Figures
  readonly overview: Overview
}

/** A mirror that follows is behind by a page of facts at times. */
const SHOWN_MISSING = 500

const unknownStop = (stop: Pick<Stop, 'id' | 'name' | 'unit'>): Stop => ({
  ...stop,
  ...{ count: null, detail: 'Loading …', state: 'unknown', isCut: false, spur: null },
})

const UNKNOWN_STOPS: readonly Stop[] = [
  unknownStop({ id: 'apps', name: 'Apps', unit: 'apps connected' }),
  unknownStop({ id: 'received', name: 'Received', unit: 'envelope items' }),
  unknownStop({ id: 'stored', name: 'Stored', unit: 'on disk' }),
  unknownStop({ id: 'upstream', name: 'Upstream', unit: 'accepted' }),
]

/**
 * The stops of telemetry. Counts are envelope items of the last 15 minutes; in a saved run, all of them. Before the first
 * answers every stop is `unknown`.
 */
export function pathStops({ figures, overview, ...rest }: PathState): readonly Stop[] {
  return figures === null || overview === null ? UNKNOWN_STOPS : knownStops({ figures, overview, ...rest })
}

function knownStops(state: KnownState): readonly Stop[] {
  const { figures, overview, isConnected } = state
  const { isShown } = overview
  const line = isShown ? null : figures.line
  const isRefusing = !isConnected && overview.counts.refused > 0
  const received = line === null ? overview.items.received : line.received
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
      unit: received === 1 ? 'envelope item' : 'envelope items',
      detail: isShown ? 'in this recording' : arrivalText(state),
      state: isConnected ? 'ok' : isRefusing ? 'failed' : 'off',
      isCut: !isConnected || isStoreAway(overview),
      spur: isShown ? null : refusedSpur(figures.navigation.refused),
    },
    storedStop(state, received),
    upstreamStop(state),
  ]
}

const isStoreAway = ({ store }: Overview): boolean => store?.away != null

/** The disk of this collector, or the database that collectors share. */
function storedStop(state: KnownState, received: number): Stop {
  const { figures, overview, isConnected } = state
  const { isShown, store } = overview
  const stop = { id: 'stored', name: 'Stored', count: received } as const
  if (isStoreAway(overview))
    return {
      ...stop,
      unit: 'in PostgreSQL',
      detail: 'envelopes are refused with 503',
      state: 'failed',
      isCut: true,
      spur: { glyph: 'invalid', tone: 'bad', href: '/storage', text: 'PostgreSQL is away' },
    }
  const missing = store?.mirror?.missing ?? 0
  return {
    ...stop,
    unit: store === undefined ? 'on disk' : 'in PostgreSQL',
    detail: `${ledgerText(figures)}${missing > SHOWN_MISSING ? `, this copy is ${plural(missing, 'fact')} behind` : ''}`,
    state: isConnected ? 'ok' : 'off',
    isCut: !isConnected || overview.localOnly || (!isShown && isUpstreamStopped(state)),
    spur: isShown ? null : upstreamSpur(state),
  }
}

/** True when posts wait, an item would be cut, or the last post failed. */
const isUpstreamStopped = ({ overview, nowMs }: KnownState): boolean =>
  overview.upstreams.some((upstream) => isAway(upstream) || isFailure(upstream.last)) ||
  limitsInForce(overview.limits, nowMs).length > 0

const isAway = ({ state }: Overview['upstreams'][number]): boolean => state === 'paused' || state === 'backing_off'

function lostBeforeSending({ navigation }: Figures): Spur | null {
  const [first, ...others] = navigation.losses.filter(({ by }) => by === 'sdk')
  if (first === undefined) return null
  const more = others.length === 0 ? '' : `, ${others.length} more`
  return {
    ...{ glyph: 'lost', tone: 'warn', href: '/losses' },
    text: `${formatCount(first.quantity)} ${categoryWord(first.category, first.quantity)} lost before sending${more}`,
  }
}

const refusedSpur = (refused: number): Spur => ({
  ...{ glyph: 'invalid', href: '/losses', text: `${plural(refused, 'request')} refused on arrival` },
  tone: refused > 0 ? 'bad' : 'quiet',
})

function upstreamSpur({ overview, nowMs }: KnownState): Spur | null {
  const href = '/deliveries'
  const away = overview.upstreams.find(isAway)
  if (away?.state === 'paused') {
    const text = `upstream refuses, answered ${away.paused?.status}`
    return { glyph: 'invalid', tone: 'bad', href, text }
  }
  if (away !== undefined) return { glyph: 'pending', tone: 'warn', href, text: failureText(away.last) }
  const [limit, ...others] = limitsInForce(overview.limits, nowMs)
  if (limit !== undefined) {
    const more = others.length === 0 ? '' : `, ${others.length} more`
    const left = formatLeft(limit.until, nowMs) ?? '0 s'
    const text = `${printable(limit.category)} limited, ${left} left${more}`
    return { glyph: 'rate_limited', tone: 'warn', href: '/limits', text }
  }
  const dead = deadLettersOf(overview.upstreams)
  const show = { glyph: 'dead_letter', tone: 'warn', href: '/deliveries?show=dead-letters' } as const
  if (dead > 0) return { ...show, text: plural(dead, 'dead letter') }
  const failing = overview.upstreams.find(({ last }) => isFailure(last))
  return failing === undefined ? null : { glyph: 'invalid', tone: 'warn', href, text: failureText(failing.last) }
}

function failureText(last: Overview['upstreams'][number]['last']): string {
  if (last === null || last.status === null) return 'upstream does not answer'
  return isFailure(last) && last.error === null ? `upstream answered ${last.status}` : 'some posts fail'
}

function upstreamStop({ figures, overview, isConnected, nowMs }: KnownState): Stop {
  const { isShown, localOnly } = overview
  const { line } = figures
  const stop = { id: 'upstream', name: 'Upstream', isCut: false, spur: null } as const
  if (localOnly)
    return {
      ...stop,
      count: null,
      unit: isShown ? 'a copy' : 'local only',
      detail: 'nothing leaves this machine',
      state: 'off',
    }
  if (isStoreAway(overview))
    return { ...stop, count: line.accepted, unit: 'accepted', detail: 'nothing is relayed meanwhile', state: 'off' }
  const count = isShown ? (overview.items.outcomes.accepted ?? null) : line.accepted
  const isWaiting = !isShown && overview.upstreams.some((one) => isTroubled(one, overview.limits, nowMs))
  const lost = lostItemsText(line)
  const details = [
    ...(line.pending > 0 ? [`${plural(line.pending, 'item')} pending`] : []),
    ...(lost === null ? [] : [lost]),
  ]
  return {
    ...stop,
    count,
    unit: 'accepted',
    detail: isShown ? 'in this recording' : details.length === 0 ? 'nothing is pending' : details.join(', '),
    state: !isConnected ? 'off' : isWaiting ? 'waiting' : 'ok',
  }
}

function arrivalText({ figures, isConnected, nowMs, overview }: KnownState): string {
  const { refused } = overview.counts
  if (!isConnected)
    return refused > 0
      ? `${plural(refused, 'request')} came and ${refused === 1 ? 'was' : 'were'} refused`
      : 'nothing yet'
  const last = figures.line.lastEnvelope
  if (last === null) return 'nothing in the last hour'
  const age = formatAge(last, nowMs + 999)
  return `last envelope ${age === 'now' ? 'now' : `${age} ago`}`
}

function ledgerText({ line }: Figures): string {
  const [first] = line.unexplained
  return first === undefined
    ? 'ledger balances'
    : `ledger: ${formatCount(first.quantity)} of ${printable(first.category)} unexplained`
}
