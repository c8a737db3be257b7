import { formatCount, formatDurationMs, plural } from '../../lib/format'
import { takes } from '../../lib/protocol/upstream-answer'
import { type Delivery, MOST_REMOVED_TOLD, wasPosted } from '../../lib/wire/delivery'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { Status, UpstreamState } from '../../lib/wire/overview'
import { printable } from '../ui/printable'
import { type AnswerText, answerText, reasonText } from '../ui/status-text'
import { formatWhen } from '../ui/times'

export interface AttemptText extends AnswerText {
  /** How what was posted differs from what was received, each a sentence. */
  readonly notes: readonly string[]
}

const FORMS: Readonly<Record<Delivery['form'][number], string | null>> = {
  received: null,
  cut: 'Items were cut before it was posted.',
  scrubbed: 'It was scrubbed before it was posted.',
  late: 'It was posted long after it came; its sent_at was moved forward by the wait.',
}

/** One attempt and its answer, for a person. */
export function attemptText(delivery: Delivery): AttemptText {
  const notes = delivery.form.map((form) => FORMS[form]).filter((note) => note !== null)
  const words = answerText(delivery, wasPosted(delivery))
  return { ...words, means: delivery.maybeDelivered ? `${words.means} ${MAYBE}` : words.means, notes }
}

const MAYBE = 'The post may have arrived all the same: upstream may get it twice.'

/** How long after the end of the one before each attempt began: `3.06 s after the one before`; `null` of the first. */
export const waitBefore = (attempts: readonly Pick<Delivery, 'startedAt' | 'endedAt'>[], at: number): string | null => {
  const [before, now] = [attempts[at - 1], attempts[at]]
  if (before === undefined || now === undefined) return null
  return `${formatDurationMs(Math.max(0, now.startedAt - before.endedAt))} after the one before`
}

/** `item 2, transaction ×3: cut: upstream limits this category` */
export const leftOutText = ({ item, type, quantity, reason }: Delivery['leftOut'][number]): string =>
  `item ${item + 1}, ${type}${quantity === 1 ? '' : ` ×${formatCount(quantity)}`}: ${reasonText(reason) ?? reason}`

/** `values at 3 places`, `values at 200 or more places`: no more are told of one record. */
export const removedText = ({ length }: Readonly<Delivery['removed']>): string =>
  `values at ${length < MOST_REMOVED_TOLD ? plural(length, 'place') : `${formatCount(length)} or more places`}`

/** `item 1, request.headers.Authorization`: the path begins with the number of the item, or with `header`. */
export function removedPath(path: string): string {
  if (path.startsWith('header.')) return `the envelope’s header, ${path.slice('header.'.length)}`
  const [, item, place] = /^(\d+)\.(.+)$/.exec(path) ?? []
  return item === undefined || place === undefined ? path : `item ${Number(item) + 1}, ${place}`
}

type Waiting = Pick<EnvelopeDetail, 'publicKey' | 'project'> & {
  readonly attempts: readonly Pick<EnvelopeDetail['attempts'][number], 'upstream'>[]
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'category'>[]
}

/** What an envelope that is pending waits for; `null` where nothing is known of its upstream. */
export function waitingText(envelope: Waiting, status: Status, nowMs: number): string | null {
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
