import { lossReason } from './loss-text'
import type { Loss } from './losses'
import { asSentence, capitalise } from './status-text'

/** Advice about a loss: one sentence, and the board that helps. */
export interface Advice {
  readonly text: string
  readonly link: { readonly href: string; readonly label: string } | null
}

const LIMITS = { href: '/limits', label: 'limits' }
const STORAGE = { href: '/storage', label: 'storage' }
const ATTEMPTS = { href: '/deliveries?show=attempts', label: 'attempts' }
const REPORTS = { href: '/logs?kind=client_report', label: 'client reports' }

const IN_THE_SDK: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    ratelimit_backoff: { text: 'The limit ends on its own; see which category it is and until when.', link: LIMITS },
    network_error: {
      text: 'Check whether the page was closed or offline. Where an ad blocker or a proxy keeps it from sending, use a tunnel.',
    },
    send_error: { text: 'The sender’s own log has the answer; compare its DSN and its time of sending.' },
    queue_overflow: { text: 'Send fewer requests at once, or raise transportOptions.bufferSize.' },
    cache_overflow: { text: 'Raise the limit of the SDK’s offline cache, or send less while offline.' },
    buffer_overflow: { text: 'Flush more often, or raise the size of the SDK’s buffer.' },
    backpressure: { text: 'The program is overloaded: lower its sample rate, or give it more time.' },
    internal_sdk_error: { text: 'Set debug: true in the SDK; its log names the error.' },
    callback_error: { text: 'A hook such as beforeSend threw: read the program’s log and repair the hook.' },
    invalid: { text: 'Set debug: true in the SDK; its log names what is invalid.' },
    too_large: { text: 'Send smaller items: fewer attributes, shorter values, smaller attachments.' },
  }).map(([reason, { text, link = REPORTS }]: [string, { text: string; link?: Advice['link'] }]) => [
    reason,
    { text, link },
  ]),
)

const HERE: ReadonlyMap<string, Advice> = new Map([
  ['limited', { text: 'The limit ends on its own; pages that obey it stop sending.', link: LIMITS }],
  ['depends_on_limited', { text: 'It belongs to an item that is limited; see until when.', link: LIMITS }],
  ['unscrubbed', { text: 'The collector’s log names the part that could not be scrubbed.', link: null }],
  ['backlog_full', { text: 'Make upstream reachable, or raise WAYSTATION_MAX_DISK.', link: STORAGE }],
  ['undelivered_for_24_h', { text: 'Find out why upstream did not answer.', link: ATTEMPTS }],
  ['damaged_record', { text: 'Check the disk; the page of the storage lists problems.', link: STORAGE }],
])

const UPSTREAM: ReadonlyMap<string, string> = new Map([
  ['upstream_400', 'Read the answer of upstream in an envelope’s timeline: it names what is malformed.'],
  ['upstream_401', 'Compare the key in WAYSTATION_UPSTREAM with the project’s.'],
  ['upstream_403', 'Compare the key in WAYSTATION_UPSTREAM with the project’s.'],
  ['upstream_404', 'Compare the project in WAYSTATION_UPSTREAM with yours.'],
  ['upstream_413', 'Send smaller envelopes: fewer attachments, shorter values.'],
])

/** The advice for one loss; for an unknown reason, where to read more about it. */
export function adviceFor({ by, reason }: Pick<Loss, 'by' | 'reason'>): Advice {
  if (by === 'person') return { text: 'A person decided so; nothing is to be done.', link: null }
  if (by === 'endpoint') return { text: lossParts({ by, reason }).advice, link: null }
  if (by === 'sdk')
    return IN_THE_SDK.get(reason) ?? { text: 'The program’s log may say more about this reason.', link: REPORTS }
  if (by === 'waystation') return HERE.get(reason) ?? { text: 'The timeline of an envelope says more.', link: ATTEMPTS }
  if (/^(?:rate_limited|upstream_(?:2\d\d|429))$/.test(reason))
    return { text: 'The limit ends on its own; raise the quota of the project if it comes back.', link: LIMITS }
  const text = UPSTREAM.get(reason) ?? 'Read the answer of upstream in an envelope’s timeline.'
  return { text, link: ATTEMPTS }
}

/** Refusals have their advice after the reason. */
function lossParts(loss: Pick<Loss, 'by' | 'reason'>): { readonly cause: string; readonly advice: string } {
  const text = lossReason(loss)
  const at = loss.by === 'endpoint' ? text.search(/[;:] /) : -1
  if (at === -1) return { cause: capitalise(text), advice: 'The collector’s log says more.' }
  return { cause: capitalise(text.slice(0, at)), advice: asSentence(text.slice(at + 2)) }
}

/** The reason of a loss as the beginning of a line, without advice. */
export const causeText = (loss: Pick<Loss, 'by' | 'reason'>): string => lossParts(loss).cause
