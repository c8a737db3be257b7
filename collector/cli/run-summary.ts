import { plainText, plural } from '../../lib/format'
import { REPORT_CATEGORY } from '../../lib/protocol/data-category'
import { DELIBERATE_DISCARD_REASONS } from '../../lib/verdict/expectations/no-loss'
import { wrap } from '../../lib/verdict/reports/terminal'
import type { LedgerRow, Losses } from '../../lib/wire/losses'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import { CLIENT_PREFIXES } from './run-environment'
import { whyPending } from './why-pending'

/** What the summary tells. */
export interface RunFacts {
  readonly overview: Overview
  readonly losses: Losses
  readonly localDsn: string
  readonly folder: string
  /** What shows the recording again, ready for a shell. */
  readonly show: string
  /** Variables that send what the program posts to a proxy. */
  readonly proxies: readonly string[]
  /** How the program ended, as a shell would say it. */
  readonly code: number
  /** What ended the program, where it did not end itself. */
  readonly signal: string | null
}

/** What is said before the program begins. */
export const runBeginning = (at: { readonly url: string; readonly folder: string }): string =>
  plainText(`Waystation listens at ${at.url} and records in ${at.folder}`)

/**
 * What is said when the program has ended.
 * @param colour a bold title; only for a terminal
 * @param width in columns, of what is prose
 */
export function runSummary(
  facts: RunFacts,
  { colour, width }: { readonly colour: boolean; readonly width: number },
): string {
  const { counts } = facts.overview
  const came = counts.envelopes + counts.copies
  const title = came === 0 ? 'nothing' : plural(came, 'envelope')
  const bold = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text)
  return [
    '',
    `  ${bold(`Waystation recorded ${title}`)}`,
    '',
    ...(came === 0
      ? row(
          'Check',
          questionsOf(facts).flatMap((question) => wrap('', question, width - LABEL_COLUMNS)),
        )
      : [...row('Arrived', arrived(facts)), ...row('In sum', [facts.losses.sentence, ...chosen(facts)])]),
    ...row('Refused', refused(facts.overview)),
    ...row('Relay', relayed(facts)),
    ...row('Program', endOf(facts)),
    ...row('Recording', [facts.folder, facts.show]),
    '',
  ].join('\n')
}

const LABEL_COLUMNS = 13
/** Of `DELIBERATE_DISCARD_REASONS`, the one that is no filter. */
const SAMPLED = 'sample_rate'

const row = (label: string, texts: readonly string[]): readonly string[] =>
  texts.map((text, index) => (index === 0 ? `  ${label}` : '').padEnd(LABEL_COLUMNS) + plainText(text))

function arrived({ overview, losses }: RunFacts): readonly string[] {
  const isReport = ({ category }: LedgerRow): boolean => category === REPORT_CATEGORY
  const received = losses.categories
    .filter((book) => book.received > 0)
    .sort(
      (a, b) =>
        Number(isReport(a)) - Number(isReport(b)) || b.received - a.received || (a.category < b.category ? -1 : 1),
    )
    .map((book) => (isReport(book) ? plural(book.received, 'client report') : `${book.received} ${book.category}`))
  const { copies } = overview.counts
  return [
    ...(received.length === 0 ? [] : [received.join(', ')]),
    ...(copies === 0 ? [] : [`${plural(copies, 'copy', 'copies')} beside the path, shown and not counted`]),
  ]
}

/** What a program chose not to send is in the books as lost, and alarms nobody who knows. */
function chosen({ losses: { lost, losses } }: RunFacts): readonly string[] {
  const left = losses.filter(
    ({ by, reason, category }) =>
      by === 'sdk' && category !== REPORT_CATEGORY && DELIBERATE_DISCARD_REASONS.includes(reason),
  )
  const sum = left.reduce((all, { quantity }) => all + quantity, 0)
  if (sum === 0) return []
  const reasons = [...new Set(left.map(({ reason }) => reason))]
  const what = reasons.every((reason) => reason === SAMPLED) ? 'not sampled' : 'not sampled, or filtered'
  const which = sum === lost ? `all ${lost}` : `${sum} of these ${lost}`
  return [`${which} by choice of the program (${reasons.join(', ')}): ${what}, and not lost on the way`]
}

function endOf({ code, signal }: RunFacts): readonly string[] {
  if (signal !== null) return [`ended by signal ${signal}`]
  return code === 0 ? [] : [`ended with code ${code}`]
}

/** The endpoint's refusals are no part of the books: nobody knows what was in them. */
const refused = ({ counts, refusals }: Overview): readonly string[] =>
  counts.refused === 0
    ? []
    : [
        `${plural(counts.refused, 'envelope')} at the endpoint: ${refusals.map(({ reason, envelopes }) => `${envelopes} ${reason}`).join(', ')}`,
      ]

function relayed({ overview }: RunFacts): readonly string[] {
  if (overview.localOnly) return ['off: local only, what came here stays on this machine']
  return overview.upstreams.flatMap((upstream) => {
    const waiting = stillWaiting(upstream)
    return [`to ${upstream.label}: ${waiting.length === 0 ? 'nothing waits' : waiting.join('; ')}`]
  })
}

function stillWaiting(upstream: UpstreamState): readonly string[] {
  const { pending, deferred, deadLetters } = upstream
  const moving = Math.max(0, pending - deferred)
  const why = whyPending(upstream)
  return [
    ...(moving === 0 ? [] : [`${plural(moving, 'envelope')} still pending${why === null ? '' : `, because ${why}`}`]),
    ...(deferred === 0 ? [] : [`${plural(deferred, 'envelope')} deferred until a limit ends`]),
    ...(deadLetters === 0 ? [] : [`${plural(deadLetters, 'dead letter')} for a person to send again or drop`]),
  ]
}

/** What to look at where nothing arrived. */
export const questionsOf = ({ localDsn, proxies }: Pick<RunFacts, 'localDsn' | 'proxies'>): readonly string[] => [
  'Does the program start an SDK? Without one nothing is sent.',
  `Where does its DSN come from? SENTRY_DSN was ${localDsn}, and so was that name behind ${CLIENT_PREFIXES.join(', ')}. One that is written in the code, or in a file that is read later, goes before these.`,
  'Was it built before? Tools that write a DSN into a page do so when they build: run the build like this, too.',
  'Did it end before it had sent? Sentry.flush() waits for that.',
  ...(proxies.length === 0
    ? []
    : [
        `Does it send by a proxy? ${proxies.join(', ')} ${proxies.length === 1 ? 'is' : 'are'} set; NO_PROXY and no_proxy name this machine, but not every program reads them.`,
      ]),
]
