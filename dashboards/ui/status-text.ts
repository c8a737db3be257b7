import { plural } from '../../lib/format'
import { isOfTheDsn, isPassing } from '../../lib/protocol/upstream-answer'
import type { Delivery } from '../../lib/wire/delivery'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { EnvelopeSummary } from '../../lib/wire/envelope'

export interface StatusText {
  readonly word: string
  /** One sentence for the reader who asks what the word means. */
  readonly means: string
  /** Which family of colour and glyph it has; the word alone says the same. */
  readonly tone: 'open' | 'good' | 'quiet' | 'warn' | 'bad'
}

const WORDS: Readonly<Record<DeliveryStatus['name'], StatusText>> = {
  pending: { word: 'pending', means: 'On disk here; not settled yet.', tone: 'open' },
  accepted: {
    word: 'accepted',
    means: 'Upstream answered 2xx. What it did afterwards it does not tell.',
    tone: 'good',
  },
  kept: { word: 'kept', means: 'Kept on this machine; nothing was pending to an upstream.', tone: 'quiet' },
  filtered: { word: 'filtered', means: 'Cut by a rule before it was relayed.', tone: 'quiet' },
  rate_limited: {
    word: 'rate limited',
    means: 'Upstream limited this category: it was cut here, or answered 429.',
    tone: 'warn',
  },
  invalid: { word: 'invalid', means: 'Upstream refused it for good.', tone: 'bad' },
  overflow: { word: 'overflow', means: 'Stored, but not pending: too much was waiting already.', tone: 'warn' },
  expired: { word: 'expired', means: 'Could not be delivered within 24 hours of running.', tone: 'bad' },
  dropped: { word: 'dropped', means: 'A person decided that it shall not be delivered.', tone: 'warn' },
  copy: {
    word: 'copy',
    means: 'A second copy made by the SDK: shown, never relayed, never counted.',
    tone: 'quiet',
  },
}

export const statusNameText = (name: DeliveryStatus['name']): StatusText => WORDS[name]

const REASONS: Readonly<Record<string, string>> = {
  damaged_record: 'its bytes on disk are damaged, so nothing could be relayed',
  no_upstream: 'local only: no upstream is set',
  lab: 'caused by the lab; its page can allow relaying',
  dead_letter: 'dead letter',
  limited: 'cut: upstream limits this category',
  depends_on_limited: 'cut with what it belongs to, which upstream limits',
  unscrubbed: 'what is secret in it could not be told, so it did not leave',
  backlog_full: 'the backlog had its share of the disk',
}

/** What is pending and pending no more: upstream refused it for what it is. */
const DEAD_LETTER: StatusText = {
  word: 'dead letter',
  means: 'Upstream refused it for what it is, or failed at it. It waits for a person, who sends it again or drops it.',
  tone: 'bad',
}

/** The words of a status with its reason: a dead letter is pending, and no one would look for it under that name. */
export function deliveryStatusText({ name, reason }: DeliveryStatus): StatusText {
  if (name === 'pending' && reason === 'dead_letter') return DEAD_LETTER
  return name === 'rate_limited' ? { ...WORDS[name], means: limitedMeans(reason) } : WORDS[name]
}

/** Was it cut here, or did upstream say so? */
function limitedMeans(reason: string | null): string {
  if (reason === 'limited') return 'Upstream limited this category when its turn came: it was cut here, and not posted.'
  if (reason === 'depends_on_limited')
    return 'Upstream limited what it belongs to: it was cut here with that, and not posted.'
  if (reason === 'upstream_429') return 'It was posted, and upstream answered 429: it limits what is in it.'
  if (reason?.startsWith('upstream_')) return 'It was posted, and the very answer limited this category.'
  return WORDS.rate_limited.means
}

/** A reason code in words; `null` where there is none. */
export function reasonText(reason: string | null): string | null {
  if (reason === null) return null
  const status = /^upstream_(\d{3})$/.exec(reason)
  if (status) return `upstream answered ${status[1]}`
  return (Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined) ?? reason.replaceAll('_', ' ')
}

/** How far the digest is, in a word and a sentence. */
export function digestText(digest: EnvelopeSummary['digest']): { readonly word: string; readonly means: string } {
  if (digest === 'pending') return { word: 'waiting', means: 'On disk; its rows are not written yet.' }
  if (digest === 'digested') return { word: 'digested', means: 'Its rows are written.' }
  if (digest === 'evicted')
    return { word: 'rows gone', means: 'Its rows made room for others. The record is kept, and relayed all the same.' }
  return { word: 'undigested', means: 'The digest could not read it. It is kept and relayed all the same.' }
}

export interface AnswerText {
  /** The status, or why there is none. */
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** What follows from it, in one sentence. */
  readonly means: string
}

/**
 * What upstream answered to a post, and what follows from it.
 * @param wasPosted false of a record that could not be read: nothing of it went out
 */
export function answerText({ status, error }: Pick<Delivery, 'status' | 'error'>, wasPosted = true): AnswerText {
  if (!wasPosted)
    return {
      word: error ?? 'not posted',
      tone: 'bad',
      means: 'Its bytes on disk are damaged, so that nothing could be posted: that is final.',
    }
  if (status === null)
    return { word: error ?? 'no answer', tone: 'warn', means: 'No answer came: it is posted again by itself.' }
  return { word: String(status), ...answerStatusText(status) }
}

function answerStatusText(status: number): Omit<AnswerText, 'word'> {
  if (status >= 200 && status < 300) return { tone: 'good', means: 'Upstream took it.' }
  if (status === 429)
    return { tone: 'warn', means: 'Upstream limits what is in it: that is final, and upstream counts it.' }
  if (isPassing(status))
    return { tone: 'warn', means: 'Upstream cannot take it just now: it is posted again by itself.' }
  if (isOfTheDsn(status))
    return {
      tone: 'warn',
      means: 'Upstream refuses the DSN, and no envelope in particular: nothing is lost, it is tried once a minute.',
    }
  if (status >= 500)
    return {
      tone: 'bad',
      means: 'Upstream itself failed at it, and promised nothing: a person decides whether it is sent again.',
    }
  return { tone: 'bad', means: 'Upstream refused this envelope for what it is.' }
}

/** `1 try`, `3 tries` */
export const triesText = (count: number): string => plural(count, 'try', 'tries')
