import { plural } from '../format'
import { isDsnRejected, isTemporaryFailure } from '../protocol/upstream-answer'
import type { Delivery } from './delivery'
import type { DeliveryStatus } from './delivery-status'
import type { EnvelopeSummary } from './envelope'

export interface StatusText {
  readonly word: string
  readonly meaning: string
  /** The family of colour and glyph. */
  readonly tone: 'open' | 'good' | 'quiet' | 'warn' | 'bad'
}

const STATUSES: Readonly<Record<DeliveryStatus['name'], StatusText>> = {
  pending: { word: 'pending', meaning: 'Stored here; its outcome is not decided yet.', tone: 'open' },
  accepted: {
    word: 'accepted',
    meaning: 'Upstream answered 2xx. It does not report what it did afterwards.',
    tone: 'good',
  },
  kept: { word: 'kept', meaning: 'Stays on this machine by a setting. Not lost.', tone: 'quiet' },
  filtered: { word: 'filtered', meaning: 'Not relayed, because it could not be scrubbed.', tone: 'warn' },
  rate_limited: {
    word: 'rate limited',
    meaning: 'Upstream limited this category: it was cut here, or upstream answered 429.',
    tone: 'warn',
  },
  invalid: { word: 'invalid', meaning: 'Upstream refused it permanently.', tone: 'bad' },
  overflow: { word: 'overflow', meaning: 'Stored but not relayed: too much was pending.', tone: 'warn' },
  expired: {
    word: 'expired',
    meaning: 'Not delivered within 24 hours of running time, or the maximum age if that is longer.',
    tone: 'bad',
  },
  dropped: { word: 'dropped', meaning: 'A person decided not to deliver it.', tone: 'warn' },
  copy: {
    word: 'copy',
    meaning: 'A Spotlight copy made by the SDK: shown, never relayed, never counted.',
    tone: 'quiet',
  },
}

export const statusNameText = (name: DeliveryStatus['name']): StatusText => STATUSES[name]

const DEAD_LETTER: StatusText = {
  word: 'dead letter',
  meaning: 'Upstream refused it, or failed while processing it. It waits until a person sends it again or drops it.',
  tone: 'bad',
}

/** The text of a status with its reason. A dead letter is pending but has its own word, which readers look for. */
export function deliveryStatusText({ name, reason }: DeliveryStatus): StatusText {
  if (name === 'pending' && reason === 'dead_letter') return DEAD_LETTER
  return name === 'rate_limited' ? { ...STATUSES[name], meaning: rateLimitMeaning(reason) } : STATUSES[name]
}

function rateLimitMeaning(reason: string | null): string {
  if (reason === 'limited') return 'Upstream limited this category before it was posted, so it was cut here.'
  if (reason === 'depends_on_limited')
    return 'Upstream limited the item that it belongs to, so both were cut here and not posted.'
  if (reason === 'upstream_429') return 'It was posted, and upstream answered 429: the category is limited.'
  if (reason?.startsWith('upstream_')) return 'It was posted, and the answer itself limited this category.'
  return STATUSES.rate_limited.meaning
}

const REASONS: Readonly<Record<string, string>> = {
  damaged_record: 'damaged on disk, so nothing could be relayed',
  no_upstream: 'local only: no upstream is set',
  no_endpoint: 'local only: Sentry has no OTLP endpoint for metrics',
  consent: 'local only: the visitor does not let it be passed on',
  own_app: 'local only: sent by Waystation itself; WAYSTATION_RELAY_OWN=on relays it',
  several_upstreams: 'local only: no setting selects one of several upstreams',
  lab: 'local only: sent by the lab; the lab page can allow relaying',
  dead_letter: 'dead letter',
  limited: 'cut: upstream limits this category',
  depends_on_limited: 'cut with the item it belongs to, which upstream limits',
  unscrubbed: 'scrubbing failed, so it was not relayed',
  backlog_full: 'the backlog used its share of the disk',
}

export function reasonText(reason: string | null): string | null {
  if (reason === null) return null
  const status = /^upstream_(\d{3})$/.exec(reason)
  if (status) return `upstream answered ${status[1]}`
  return (Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined) ?? reason.replaceAll('_', ' ')
}

export function digestText(digest: EnvelopeSummary['digest']): { readonly word: string; readonly meaning: string } {
  if (digest === 'pending') return { word: 'waiting', meaning: 'Stored; its rows are not written yet.' }
  if (digest === 'digested') return { word: 'digested', meaning: 'Its rows are written.' }
  if (digest === 'evicted')
    return { word: 'rows evicted', meaning: 'Its rows were evicted. The record is still stored and relayed.' }
  return { word: 'undigested', meaning: 'The digest could not parse it. It is still stored and relayed.' }
}

export interface AnswerText {
  /** The status code, or why there is none. */
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  readonly meaning: string
}

/** Returns false when nothing was posted because the record is damaged. */
export const wasPosted = ({ sha256 }: Pick<Delivery, 'sha256'>): boolean => sha256 !== ''

/** An answer of upstream and its consequence. `isPosted` is false for a damaged record. */
export function answerText({ status, error }: Pick<Delivery, 'status' | 'error'>, isPosted = true): AnswerText {
  if (!isPosted)
    return {
      word: error ?? 'not posted',
      tone: 'bad',
      meaning: 'The record is damaged on disk, so it was never posted. It will not be retried.',
    }
  if (status === null)
    return { word: error ?? 'no answer', tone: 'warn', meaning: 'No answer arrived. It is retried automatically.' }
  return { word: String(status), ...answerStatusText(status) }
}

function answerStatusText(status: number): Omit<AnswerText, 'word'> {
  if (status >= 200 && status < 300) return { tone: 'good', meaning: 'Delivered.' }
  if (status === 429)
    return { tone: 'warn', meaning: 'Upstream limits the category. This is final, and upstream counts it.' }
  if (isTemporaryFailure(status))
    return { tone: 'warn', meaning: 'Upstream is temporarily unavailable. It is retried automatically.' }
  if (isDsnRejected(status))
    return {
      tone: 'warn',
      meaning: 'Upstream refuses the DSN, not this envelope. Nothing is lost; it is retried once a minute.',
    }
  if (status >= 500)
    return { tone: 'bad', meaning: 'Upstream failed while processing it. A person decides whether to send it again.' }
  return { tone: 'bad', meaning: 'Upstream refused this envelope.' }
}

/** `1 try`, `3 tries` */
export const triesText = (count: number): string => plural(count, 'try', 'tries')

/** A message as a sentence: with a capital and a full stop. */
export const asSentence = (text: string): string => `${capitalise(text)}${/[.!?]$/.test(text) ? '' : '.'}`

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
