import { plural } from '../format'
import { groupBy } from '../group-by'
import { lostBy } from '../protocol/outcome'
import type { Delivery, LeftOut, Removed } from '../wire/delivery'
import type { EnvelopeDetail } from '../wire/envelope'
import type { Limit } from '../wire/limits'
import { adviceFor } from '../wire/loss-advice'
import { lossReason } from '../wire/loss-text'
import { answerText, deliveryStatusText, digestText, reasonText, wasPosted } from '../wire/status-text'
import { type Answer, fact, joined, type Line, line, own, timeOf } from './answer'
import { checkLine } from './doctor-check'
import { discardLines } from './get'
import { received } from './received'
import { AskError, type AskSources } from './sources'

/** Attempts and removed values that an answer has. */
const MOST_SHOWN = 20

type Item = EnvelopeDetail['items'][number]

/** Explains an envelope, or one of its items: its status and why, how it was altered, and each attempt. */
export async function explainEnvelope(
  { client, signal, doctor }: AskSources,
  seq: number,
  index: number | null,
): Promise<Answer> {
  const envelope = await client.envelope(seq, signal)
  if (envelope === null)
    throw new AskError(`no envelope ${seq} is stored: it never arrived, was cleared, or was evicted`, true)
  const items = envelope.items.filter((item) => index === null || item.index === index)
  if (items.length === 0)
    throw new AskError(`envelope ${seq} has no item ${index}; its items are 0 to ${envelope.items.length - 1}`)
  const [first] = items
  const status = index === null || first === undefined ? envelope.deliveryStatus : first.deliveryStatus
  const checks = status.name === 'pending' ? await doctor({ app: null, tunnel: null, dsn: null }) : []
  const isLimited = items.some(({ deliveryStatus: { name } }) => name === 'rate_limited')
  const state = isLimited ? await client.status(signal) : null
  const limits = state === null ? [] : state.limits.filter(({ until }) => until > state.now)
  const attempts = envelope.attempts.toReversed()
  return {
    heading: own(`Envelope ${seq}${index === null ? '' : `, item ${index}`}: ${deliveryStatusText(status).word}`),
    sections: [
      {
        heading: null,
        rows: [
          own(deliveryStatusText(status).meaning),
          joined([
            own(`arrived ${new Date(envelope.receivedAt).toISOString()} at ${envelope.endpoint}`),
            envelope.sdk === null ? null : received('sdk', envelope.sdk),
          ]),
          envelope.facts.keptMs === undefined
            ? null
            : own(`the tunnel kept it ${envelope.facts.keptMs} ms in its lifeboat`),
          envelope.digest === 'digested' ? null : own(digestText(envelope.digest).meaning),
        ],
      },
      {
        heading: 'Items',
        rows: [
          ...[...groupBy(items, itemKey).values()].map(itemsLine),
          ...items.flatMap(({ type, text }) => (type === 'client_report' && text !== null ? discardLines(text) : [])),
        ],
      },
      { heading: 'Limits that run now', rows: limits.map(limitLine) },
      { heading: 'Altered', rows: alterations(envelope, items) },
      {
        heading: 'Why it is pending',
        rows: checks.filter(({ id, state }) => id === 'upstream' || state === 'broken').map(checkLine),
      },
      {
        heading: 'Attempts, newest first',
        rows: attempts.slice(0, MOST_SHOWN).map(attemptLine),
        leftOut: { count: attempts.length - MOST_SHOWN, noun: 'attempt', call: null },
      },
    ],
    next: [
      { verb: 'get', args: { id: String(seq) } },
      ...(envelope.traceId === null ? [] : [{ verb: 'get', args: { id: envelope.traceId } }]),
      ...(status.name === 'pending' ? [{ verb: 'status', args: {} }] : []),
    ],
  }
}

const itemKey = ({ type, deliveryStatus: { name, reason }, problem }: Item): string =>
  JSON.stringify([type, name, reason, problem])

/** Items of one type with one status. */
function itemsLine(items: readonly Item[]): Line {
  const [first] = items
  if (first === undefined) return own('')
  const { type, deliveryStatus, problem } = first
  const { name, reason } = deliveryStatus
  const by = lostBy(name, reason)
  const indexes = items.length > 3 ? plural(items.length, 'item') : `item ${items.map(({ index }) => index).join(', ')}`
  return joined([
    line`${own(indexes)} ${received('type', type)}: ${own(deliveryStatusText(deliveryStatus).word)}`,
    by === null
      ? fact('reason', reason === null ? null : received('reason', reasonText(reason)))
      : line`${received('reason', reason ?? name)}: ${received('meaning', lossReason({ by, reason: reason ?? name }))}`,
    by === null ? null : own(adviceFor({ by, reason: reason ?? name }).text),
    problem === null ? null : line`its content cannot be parsed, so it has no rows: ${received('problem', problem)}`,
  ])
}

function alterations({ facts, attempts }: EnvelopeDetail, items: readonly Item[]): readonly (Line | null)[] {
  const shown = new Set(items.map(({ index }) => index))
  // A path begins with the number of its item, unless it is one of the envelope's header.
  const isShown = ({ path }: Removed): boolean => !/^\d/.test(path) || shown.has(Number.parseInt(path, 10))
  const posted = attempts.filter(({ form }) => form.includes('scrubbed')).at(-1)?.removed ?? []
  const cut = new Map(attempts.flatMap(({ leftOut }) => leftOut.map((one): [number, LeftOut] => [one.item, one])))
  return [
    ...[...cut.values()]
      .filter(({ item }) => shown.has(item))
      .map(
        ({ item, type, reason }) =>
          line`item ${item} ${received('type', type)} was cut before posting: ${received('reason', reasonText(reason))}`,
      ),
    ...removedLines('before storing', (facts.scrubbed ?? []).filter(isShown)),
    ...removedLines('before posting', posted.filter(isShown)),
    attempts.some(({ form }) => form.includes('late'))
      ? own('its sent_at was moved forward by the time that it waited, so that upstream takes it')
      : null,
  ]
}

const removedLines = (when: string, removed: readonly Removed[]): readonly Line[] => [
  ...removed
    .slice(0, MOST_SHOWN)
    .map(({ rule, path }) => line`scrubbed ${own(when)}: ${received('path', path)} by the rule ${own(rule)}`),
  ...(removed.length > MOST_SHOWN ? [own(`${removed.length - MOST_SHOWN} more values were scrubbed ${when}`)] : []),
]

const limitLine = ({ upstream, category, until, reason }: Limit): Line =>
  joined([
    line`${received('upstream', upstream)} limits ${received('category', category)} until ${timeOf(until)}`,
    reason === null ? null : received('reason', reason),
  ])

function attemptLine(delivery: Delivery): Line {
  const { attempt, endedAt, upstream, answer, rateLimits, retryAfter, maybeDelivered } = delivery
  const { word, meaning } = answerText(delivery, wasPosted(delivery))
  return joined([
    line`attempt ${attempt}: ${received('answer', word)}, ${own(meaning)}`,
    own(new Date(endedAt).toISOString()),
    fact('upstream', received('upstream', upstream)),
    fact('X-Sentry-Rate-Limits', rateLimits === null ? null : received('rateLimits', rateLimits)),
    fact('Retry-After', retryAfter === null ? null : received('retryAfter', retryAfter)),
    answer === null || answer === '' ? null : fact('answer', received('answer', answer)),
    maybeDelivered ? own('it may have arrived all the same') : null,
  ])
}
