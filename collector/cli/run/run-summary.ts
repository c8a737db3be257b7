import { plainText, plural } from '../../../lib/format'
import { REPORT_CATEGORY } from '../../../lib/protocol/data-category'
import { wrap } from '../../../lib/verdict/reports/terminal'
import type { LedgerRow, Losses } from '../../../lib/wire/losses'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { whyPending } from '../judge/gather'
import { CLIENT_PREFIXES } from './run-program'

interface RunFacts {
  readonly overview: Overview
  readonly losses: Losses
  readonly localDsn: string
  readonly folder: string
  readonly show: string
  readonly proxies: readonly string[]
  readonly code: number
  readonly signal: string | null
  /** Why logs and spans that a program buffered are unknown. */
  readonly unknown: readonly string[]
}

export const runBeginning = (at: { readonly url: string; readonly folder: string }): string =>
  plainText(`Waystation listens at ${at.url} and records in ${at.folder}`)

/** @param colour prints the title in bold; for terminals only @param width of prose, in columns */
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
          troubleshooting(facts).flatMap((question) => wrap('', question, width - LABEL_COLUMNS)),
        )
      : [...row('Arrived', arrived(facts)), ...row('Account', facts.losses.sentence.split('; '))]),
    ...row('Unknown', unknownLines(facts.unknown)),
    ...row('Refused', refused(facts.overview)),
    ...row('Relay', relayed(facts)),
    ...row('Program', endOf(facts)),
    ...row('Recording', [facts.folder, facts.show, 'serves the links of this run again']),
    '',
  ].join('\n')
}

const LABEL_COLUMNS = 13

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
    ...(copies === 0 ? [] : [`${plural(copies, 'copy', 'copies')} only shown, not relayed and not counted`]),
  ]
}

/** An SDK sends logs and spans in batches: a process that is killed loses its last one, and no client report says so. */
const unknownLines = (unknown: readonly string[]): readonly string[] =>
  unknown.length === 0 ? [] : ['logs and spans that were still buffered:', ...unknown]

/** The same for the verdict, which cannot judge them; `null` when nothing is unknown. */
export const unknownNote = (unknown: readonly string[]): string | null =>
  unknown.length === 0
    ? null
    : `Unknown, and not judged: logs and spans that were still buffered: ${unknown.join('; ')}.`

function endOf({ code, signal }: RunFacts): readonly string[] {
  if (signal !== null) return [`ended by signal ${signal}`]
  return code === 0 ? [] : [`ended with code ${code}`]
}

/** Refused envelopes are not parsed, so the ledger does not contain their items. */
const refused = ({ counts, refusals }: Overview): readonly string[] =>
  counts.refused === 0
    ? []
    : [
        `${plural(counts.refused, 'envelope')} at the endpoint: ${refusals.map(({ reason, envelopes }) => `${envelopes} ${reason}`).join(', ')}`,
      ]

function relayed({ overview }: RunFacts): readonly string[] {
  if (overview.localOnly) return ['off: local only, nothing leaves this machine']
  return overview.upstreams.flatMap((upstream) => {
    const waiting = stillWaiting(upstream)
    return [`to ${upstream.label}: ${waiting.length === 0 ? 'nothing is pending' : waiting.join('; ')}`]
  })
}

function stillWaiting(upstream: UpstreamState): readonly string[] {
  const { pending, deferred, deadLetters } = upstream
  const moving = Math.max(0, pending - deferred)
  const why = whyPending(upstream)
  return [
    ...(moving === 0 ? [] : [`${plural(moving, 'envelope')} still pending${why === null ? '' : `, because ${why}`}`]),
    ...(deferred === 0 ? [] : [`${plural(deferred, 'envelope')} deferred until a limit ends`]),
    ...(deadLetters === 0 ? [] : [`${plural(deadLetters, 'dead letter')} to send again or drop`]),
  ]
}

/** Questions that help when nothing arrived. */
export const troubleshooting = ({ localDsn, proxies }: Pick<RunFacts, 'localDsn' | 'proxies'>): readonly string[] => [
  'Does the program start an SDK?',
  `Where does its DSN come from? SENTRY_DSN was ${localDsn}, also with the prefixes ${CLIENT_PREFIXES.join(', ')}. A DSN in the code or in a file overrides it. An app that was started before the run does not have it.`,
  'Was it built before? Build tools write the DSN into pages: run the build with waystation run, too.',
  'Did it end before the SDK had sent? Wait for Sentry.flush() at its end, or for shutdown() of the SDK of OpenTelemetry.',
  'Does it use OpenTelemetry? OTEL_EXPORTER_OTLP_ENDPOINT was set; an address in the code overrides it. OTEL_LOG_LEVEL=warn prints why an export failed.',
  ...(proxies.length === 0
    ? []
    : [
        `Does it use a proxy? ${proxies.join(', ')} ${proxies.length === 1 ? 'is' : 'are'} set. NO_PROXY and no_proxy contain this machine, but some programs ignore them.`,
      ]),
]
