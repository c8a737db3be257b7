import { formatDurationUs, plural } from '../format'
import { selfTimes } from '../protocol/trace/self-time'
import { FEWEST_SEQUENTIAL, type SiblingGroup, siblingGroups } from '../protocol/trace/sibling-groups'
import { isErrorStatus } from '../protocol/trace/span-status'
import { buildSpanTree, nodesOf, type SpanNode } from '../protocol/trace/span-tree'
import { timeTree } from '../protocol/trace/time-tree'
import type { EventSummary } from '../wire/event'
import type { SignalRow } from '../wire/signal'
import type { Span, SpanDetail, TraceDetail } from '../wire/trace'
import { type Answer, fact, joined, type Line, line, own, type Section, senderFacts, timeOf } from './answer'
import { getCall } from './calls'
import { label, received } from './received'
import { logAttributes } from './search'
import { AskError, type AskSources } from './sources'

/** Spans of a trace in an overview. */
export const MOST_SPANS = 96
const LONG_US = 10_000
const MOST_SLOW = 5
const MOST_LOGS = 10
/** Deeper rows are not indented further. */
const MOST_INDENT = 12

type Node = SpanNode<Span>

/** A trace as a tree of its most telling spans. @param focus the span whose subtree is shown; `null` for all */
export async function answerTrace(
  { client, signal, boardsUrl }: AskSources,
  trace: TraceDetail,
  { focus, full }: { readonly focus: string | null; readonly full: boolean },
): Promise<Answer> {
  const { summary, spans, errors } = trace
  const { traceId } = summary
  const tree = buildSpanTree(spans)
  const focused = focus === null ? undefined : tree.byId.get(focus)
  if (focus !== null && focused === undefined)
    throw new AskError(`trace ${traceId} has no span ${focus}; get ${traceId} shows its spans`, true)
  const roots = focused === undefined ? tree.roots : [focused]
  const nodes = nodesOf(roots)
  const failed = new Set(errors.flatMap(({ spanId }) => spanId ?? []))
  const chosen = full ? new Set(nodes) : chooseSpans(nodes, failed)
  const startUs = roots[0]?.span.startUs ?? summary.startUs
  const timed = timeTree(tree.roots)
  const slow = slowestOf(nodes, selfTimes(timed))
  const within = new Set(nodes.map(({ span }) => span.spanId))
  const loops = siblingGroups(timed)
    .filter(({ parentId, count, totalUs }) => within.has(parentId) && count >= FEWEST_SEQUENTIAL && totalUs >= LONG_US)
    .sort((one, other) => other.totalUs - one.totalUs)
    .slice(0, MOST_SLOW)
  const { signals } = await client.signalsOfTrace(traceId, signal)
  const logs = signals.filter(({ kind }) => kind === 'log')
  return {
    heading: own(focus === null ? `Trace ${traceId}` : `Trace ${traceId}, below span ${focus}`),
    sections: [
      { heading: null, rows: aboutTrace(trace, boardsUrl) },
      { heading: 'Errors', rows: errors.map(errorLine) },
      { heading: 'Repeated calls', rows: loops.map((loop) => loopLine(loop, traceId)) },
      { heading: 'Slowest by own time', rows: slow.map((one) => slowLine(one, traceId)) },
      {
        heading: 'Spans',
        rows: nodes
          .filter((node) => chosen.has(node))
          .map((node) => spanLine(node, { startUs, top: roots[0]?.depth ?? 0, chosen })),
        leftOut: {
          count: nodes.length - chosen.size,
          noun: 'span',
          call: getCall(traceId, { ...(focus !== null && { focus }), full: true }),
        },
      },
      logSection(traceId, logs, full),
    ],
    next: [
      ...errors.slice(0, 1).map(({ eventId }) => getCall(eventId)),
      ...[...loops.map(({ memberIds: [first = ''] }) => first), ...slow.map(({ span }) => span.spanId)]
        .slice(0, 1)
        .map((spanId) => getCall(`${traceId}/${spanId}`)),
      { verb: 'explain', args: { id: traceId } },
    ],
  }
}

/** A trace of which only signals are stored, such as the logs of one that was not sampled. @param signals at least one */
export function answerSignals(
  traceId: string,
  signals: readonly SignalRow[],
  { full, boardsUrl }: { readonly full: boolean; readonly boardsUrl: string },
): Answer {
  const logs = signals.filter(({ kind }) => kind === 'log')
  const others = signals.length - logs.length
  const services = new Set(signals.flatMap(({ service }) => service ?? []))
  return {
    heading: own(`Trace ${traceId}`),
    sections: [
      {
        heading: null,
        rows: [
          own('no span and no error of it is stored: it was not sampled, has not arrived yet, or was evicted'),
          joined([
            own(plural(logs.length, 'log')),
            others === 0 ? null : own(plural(others, 'other signal')),
            ...[...services].map((service) => label('service', service)),
          ]),
          fact('board', own(`${boardsUrl}/traces/${traceId}`)),
        ],
      },
      logSection(traceId, logs, full),
      {
        heading: 'Other signals',
        rows: signals
          .filter(({ kind }) => kind !== 'log')
          .map(({ kind, timestampUs, name, service }) =>
            joined([
              timeOf(timestampUs / 1000),
              own(kind.replaceAll('_', ' ')),
              label('name', name),
              service === null ? null : label('service', service),
            ]),
          ),
      },
    ],
    next: [{ verb: 'explain', args: { id: traceId } }],
  }
}

const logSection = (traceId: string, logs: readonly SignalRow[], full: boolean): Section => ({
  heading: 'Logs',
  rows: (full ? logs : logs.slice(-MOST_LOGS)).map(logLine),
  leftOut: {
    count: full ? 0 : logs.length - MOST_LOGS,
    noun: 'earlier log',
    call: getCall(traceId, { full: true }),
  },
})

const aboutTrace = ({ summary, segments, spans, truncated }: TraceDetail, boardsUrl: string): Section['rows'] => [
  joined([
    label('op', summary.op),
    label('name', summary.name),
    own(formatDurationUs(summary.durationUs)),
    own(summary.status),
  ]),
  fact('started', timeOf(summary.startUs / 1000)),
  joined([
    own(`${plural(summary.spanCount, 'span')} in ${plural(segments.length, 'transaction')}`),
    own(plural(summary.errorCount, 'error')),
    ...summary.services.map((service) => label('service', service)),
  ]),
  joined([senderFacts(summary), fact('delivery', own(summary.deliveryStatus.name))]),
  fact('board', own(`${boardsUrl}/traces/${summary.traceId}`)),
  summary.status === 'error' && summary.errorCount === 0
    ? own('it failed, but no error of it is stored: its SDK may have discarded one, which explain shows')
    : null,
  truncated ? own(`Only ${plural(spans.length, 'span')} were read: the trace is too large.`) : null,
]

/**
 * Chooses at most 96 spans by branch: failed ones first, then transactions, then those of at least 10 ms, the longest
 * first, each with the spans above it.
 */
export function chooseSpans(nodes: readonly Node[], failed: ReadonlySet<string>, most = MOST_SPANS): ReadonlySet<Node> {
  const parents = new Map<Node, Node>()
  for (const node of nodes) for (const child of node.children) parents.set(child, node)
  const rankOf = ({ span }: Node): number =>
    isErrorStatus(span.status) || failed.has(span.spanId) ? 0 : span.isSegment ? 1 : lengthOf(span) >= LONG_US ? 2 : 3
  const ranked = nodes.map((node) => ({ node, rank: rankOf(node) }))
  ranked.sort((one, other) => one.rank - other.rank || lengthOf(other.node.span) - lengthOf(one.node.span))
  const chosen = new Set<Node>()
  for (const { node } of ranked) {
    const branch: Node[] = []
    for (
      let at: Node | undefined = node;
      at !== undefined && !chosen.has(at) && branch.length <= most;
      at = parents.get(at)
    )
      branch.push(at)
    if (chosen.size + branch.length <= most) for (const one of branch) chosen.add(one)
  }
  return chosen
}

const lengthOf = ({ startUs, endUs }: Span): number => endUs - startUs

function spanLine(
  { span, children, depth, orphan, skewed }: Node,
  { startUs, top, chosen }: { readonly startUs: number; readonly top: number; readonly chosen: ReadonlySet<Node> },
): Line {
  const hidden = children.filter((child) => !chosen.has(child)).length
  const offset = span.startUs - startUs
  return {
    ...joined([
      own(span.spanId),
      joined([label('op', span.op), label('name', span.name)], ' '),
      own(`${offset < 0 ? '' : '+'}${formatDurationUs(offset)}`),
      own(`took ${formatDurationUs(lengthOf(span))}`),
      span.status === null || span.status === 'ok' ? null : label('status', span.status),
      span.isSegment ? label('service', span.service) : null,
      orphan ? own('its parent has not arrived') : null,
      skewed ? own('outside its parent: two clocks, or the parent did not wait') : null,
      hidden === 0 ? null : own(`${plural(hidden, 'child', 'children')} left out`),
    ]),
    depth: Math.min(depth - top, MOST_INDENT),
  }
}

/** Spans that measure something, such as the largest paint, and do no work. */
const MEASURED = /^(?:ui\.webvital|paint|mark$|measure$)/

const loopLine = (
  { count, op, name, totalUs, isNPlusOne, parentId, memberIds: [first = ''] }: SiblingGroup,
  traceId: string,
): Line =>
  joined([
    line`${count} times ${joined([label('op', op), label('name', name)], ' ')}`,
    own(`${formatDurationUs(totalUs)} in total`),
    isNPlusOne ? own('one after the other (N+1)') : null,
    own(`below ${traceId}/${parentId}`),
    own(`the first is ${traceId}/${first}`),
  ])

interface Slow {
  readonly span: Span
  /** µs in which none of its children runs. */
  readonly ownUs: number
}

const slowestOf = (nodes: readonly Node[], times: ReadonlyMap<string, number>): readonly Slow[] =>
  nodes
    .map(({ span }) => ({ span, ownUs: times.get(span.spanId) ?? 0 }))
    .filter(({ span, ownUs }) => ownUs > 0 && !MEASURED.test(span.op ?? ''))
    .sort((one, other) => other.ownUs - one.ownUs)
    .slice(0, MOST_SLOW)

const slowLine = ({ span, ownUs }: Slow, traceId: string): Line =>
  joined([
    own(`${traceId}/${span.spanId}`),
    joined([label('op', span.op), label('name', span.name)], ' '),
    own(`${formatDurationUs(ownUs)} own time of ${formatDurationUs(lengthOf(span))}`),
    label('service', span.service),
  ])

const errorLine = ({ eventId, title, level, service, handled, spanId }: EventSummary): Line =>
  joined([
    own(eventId),
    received('title', title, 300),
    label('level', level),
    handled === false ? own('unhandled') : null,
    label('service', service),
    fact('span', own(spanId)),
  ])

const logLine = ({ timestampUs, level, name, service, fields }: SignalRow): Line =>
  joined([
    timeOf(timestampUs / 1000),
    label('level', level),
    received('message', name, 300),
    label('service', service),
    ...logAttributes(fields),
  ])

/** One span with its attributes. */
export function answerSpan({ span, deprecated }: SpanDetail, boardsUrl: string): Answer {
  const { traceId, spanId, otel } = span
  const replaced = Object.entries(deprecated)
  return {
    heading: own(`Span ${traceId}/${spanId}`),
    sections: [
      {
        heading: null,
        rows: [
          joined([received('op', span.op), received('name', span.name)]),
          joined([own(`took ${formatDurationUs(lengthOf(span))}`), fact('started', timeOf(span.startUs / 1000))]),
          joined([
            fact('status', label('status', span.status)),
            fact('service', label('service', span.service)),
            fact('origin', label('origin', span.origin)),
            fact('parent', span.parentSpanId === null ? null : own(`${traceId}/${span.parentSpanId}`)),
          ]),
          joined([senderFacts(span), fact('envelope', span.seq), fact('delivery', own(span.deliveryStatus.name))]),
          fact('status message', otel?.statusMessage ? received('message', otel.statusMessage) : null),
          fact('board', own(`${boardsUrl}/traces/${traceId}?span=${spanId}`)),
        ],
      },
      {
        heading: 'Attributes',
        rows: attributeLines(span.attributes),
      },
      {
        heading: 'Events',
        rows: (otel?.events ?? []).map(({ name, attributes }) =>
          joined([label('name', name), received('attributes', attributes)]),
        ),
      },
      { heading: 'Links', rows: span.links.map((link) => own(`${link.traceId}/${link.spanId}`)) },
      {
        heading: 'Attributes with a newer name',
        rows: replaced.map(([name, present]) => joined([label('name', name), own(present)], ' is now ')),
      },
    ],
    next: [getCall(traceId, { focus: spanId }), getCall(traceId)],
  }
}

/** Names that the sender chose, each with its value, which is scrubbed by that name. */
export const attributeLines = (of: Readonly<Record<string, unknown>>): readonly (Line | null)[] =>
  Object.entries(of).map(([name, value]) =>
    value === null ? null : line`${label('name', name)}: ${received(name, value)}`,
  )
