import { formatCount, formatDurationMs, plural } from '../../lib/format'
import { limitAppliesTo } from '../../lib/protocol/rate-limits'
import type { Delivery } from '../../lib/wire/delivery'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { Status, UpstreamState } from '../../lib/wire/overview'
import { type AnswerText, answerText, reasonText, wasPosted } from '../../lib/wire/status-text'
import { printable } from '../ui/printable'
import { formatWhen } from '../ui/times'

interface AttemptText extends AnswerText {
  /** How the posted bytes differ from the received ones, as sentences. */
  readonly notes: readonly string[]
}

const FORMS: Readonly<Record<Delivery['form'][number], string | null>> = {
  received: null,
  cut: 'Items were cut before posting.',
  scrubbed: 'Scrubbed before posting.',
  late: 'Posted long after arrival; its sent_at was moved forward by the delay.',
}

export function attemptText(delivery: Delivery): AttemptText {
  const notes = delivery.form.map((form) => FORMS[form]).filter((note) => note !== null)
  const answer = answerText(delivery, wasPosted(delivery))
  return { ...answer, meaning: delivery.maybeDelivered ? `${answer.meaning} ${MAYBE}` : answer.meaning, notes }
}

const MAYBE = 'The post may still have arrived: upstream may get it twice.'

/** The delay since the previous attempt: `3.06 s after the previous attempt`; `null` for the first. */
export const waitBefore = (attempts: readonly Pick<Delivery, 'startedAt' | 'endedAt'>[], at: number): string | null => {
  const [before, now] = [attempts[at - 1], attempts[at]]
  if (before === undefined || now === undefined) return null
  return `${formatDurationMs(Math.max(0, now.startedAt - before.endedAt))} after the previous attempt`
}

/** `item 2, transaction ×3: cut: upstream limits this category` */
export const leftOutText = ({ item, type, quantity, reason }: Delivery['leftOut'][number]): string =>
  `item ${item + 1}, ${type}${quantity === 1 ? '' : ` ×${formatCount(quantity)}`}: ${reasonText(reason) ?? reason}`

/** The collector lists at most this many removals of one record. */
const MAX_LISTED_REMOVALS = 200

/** `3 values`, `200 or more values`: one record reports at most 200. */
export const removedText = ({ length }: Readonly<Delivery['removed']>): string =>
  length < MAX_LISTED_REMOVALS ? plural(length, 'value') : `${formatCount(length)} or more values`

/** The path of a removed value as text: `item 1, request.headers.Authorization`. */
export function removedPath(path: string): string {
  if (path.startsWith('header.')) return `envelope header, ${path.slice('header.'.length)}`
  const [, item, rest] = /^(\d+)\.(.+)$/.exec(path) ?? []
  return item === undefined || rest === undefined ? path : `item ${Number(item) + 1}, ${rest}`
}

type Waiting = Pick<EnvelopeDetail, 'publicKey' | 'project'> & {
  readonly attempts: readonly Pick<EnvelopeDetail['attempts'][number], 'upstream'>[]
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'category'>[]
}

/** Why a pending envelope waits; `null` when its upstream is unknown. */
export function waitingText(envelope: Waiting, status: Status, nowMs: number): string | null {
  // Another key of the same project may be configured.
  if (
    status.stranded.some(({ publicKey, project }) => publicKey === envelope.publicKey && project === envelope.project)
  )
    return 'Waiting: no configured DSN has its key and project. Add the old DSN to WAYSTATION_DSNS, or drop pending envelopes.'
  const upstream = upstreamOf(envelope, status.upstreams)
  if (upstream === null) return null
  const name = printable(upstream.label)
  const when = formatWhen(upstream.retryAt, nowMs)
  if (upstream.state === 'paused') return `Waiting: ${name} is paused, next probe ${when}.`
  if (upstream.state === 'backing_off') return `Waiting: ${name} is unavailable, next try ${when}.`
  const limitedUntilMs = limitedUntil(envelope, upstream, status, nowMs)
  if (limitedUntilMs !== null) return `Waiting: ${name} limits errors, which ends ${formatWhen(limitedUntilMs, nowMs)}.`
  return `Waiting for its turn: ${name} accepts posts.`
}

/** The upstream of the last attempt; before the first, that of the project. */
function upstreamOf({ project, attempts }: Waiting, upstreams: readonly UpstreamState[]): UpstreamState | null {
  const last = attempts.at(-1)?.upstream
  const known = upstreams.find(({ label }) => label === last)
  if (known !== undefined) return known
  const ofProject = upstreams.filter(({ label }) => label.endsWith(`/${project}`))
  const among = ofProject.length > 0 ? ofProject : upstreams
  // With several candidates, the page cannot tell which one it is.
  return among.length === 1 ? (among[0] ?? null) : null
}

function limitedUntil({ items }: Waiting, { label }: UpstreamState, status: Status, nowMs: number): number | null {
  if (!status.holdErrors || items.every(({ category }) => category !== 'error')) return null
  const ends = status.limits.flatMap(({ upstream, category, until }) =>
    upstream === label && until > nowMs && limitAppliesTo(category, 'error') ? [until] : [],
  )
  return ends.length === 0 ? null : Math.max(...ends)
}
