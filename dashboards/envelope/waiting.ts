import { takes } from '../../lib/protocol/limited'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { UpstreamState } from '../../lib/wire/overview'
import type { Status } from '../../lib/wire/status'
import { formatWhen } from '../ui/clocks'
import { printable } from '../ui/printable'

type Waiting = Pick<EnvelopeDetail, 'publicKey' | 'project'> & {
  readonly attempts: readonly Pick<EnvelopeDetail['attempts'][number], 'upstream'>[]
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'category'>[]
}

/** What an envelope that is pending waits for; `null` where nothing is known of its upstream. */
export function waitingWords(envelope: Waiting, status: Status, nowMs: number): string | null {
  // Another key of its project may be configured all the same.
  if (
    status.stranded.some(({ publicKey, project }) => publicKey === envelope.publicKey && project === envelope.project)
  )
    return 'Waits: no configured DSN has its key and project; put the old DSN into WAYSTATION_DSNS, or clear what is pending.'
  const upstream = upstreamOf(envelope, status.upstreams)
  if (upstream === null) return null
  const name = printable(upstream.label)
  const when = formatWhen(upstream.retryAt, nowMs)
  if (upstream.state === 'paused') return `Waits: ${name} is paused, next probe ${when}.`
  if (upstream.state === 'backing_off') return `Waits: ${name} does not take it just now, next try ${when}.`
  const held = heldUntil(envelope, upstream, status, nowMs)
  if (held !== null) return `Waits: ${name} limits error, which ends ${formatWhen(held, nowMs)}.`
  return `Waits for its turn: ${name} takes what is posted.`
}

/** The one it was posted to last; before that, the one of its project. */
function upstreamOf({ project, attempts }: Waiting, upstreams: readonly UpstreamState[]): UpstreamState | null {
  const last = attempts.at(-1)?.upstream
  const known = upstreams.find(({ label }) => label === last)
  if (known !== undefined) return known
  const ofProject = upstreams.filter(({ label }) => label.endsWith(`/${project}`))
  const among = ofProject.length > 0 ? ofProject : upstreams
  // Of several nobody says here which it is.
  return among.length === 1 ? (among[0] ?? null) : null
}

function heldUntil({ items }: Waiting, { label }: UpstreamState, status: Status, nowMs: number): number | null {
  if (!status.holdErrors || items.every(({ category }) => category !== 'error')) return null
  const ends = status.limits.flatMap(({ upstream, category, until }) =>
    upstream === label && until > nowMs && takes(category, 'error') ? [until] : [],
  )
  return ends.length === 0 ? null : Math.max(...ends)
}
