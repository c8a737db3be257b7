import { plural } from '../format'
import type { ErrorGroupDetail } from '../wire/error-groups'
import type { Breadcrumb, EventDetail } from '../wire/event'
import type { MappedFrame, MappedFrames } from '../wire/mapped-frames'
import {
  type Answer,
  agoOf,
  type Block,
  fact,
  joined,
  type Line,
  line,
  own,
  type Row,
  type Section,
  senderFacts,
  timeOf,
} from './answer'
import { getCall } from './calls'
import { attributeLines } from './get-trace'
import { label, received, verbatim } from './received'
import type { AskSources } from './sources'

/** Of each exception in an overview; frames of the app come before others. */
const MOST_FRAMES = 8
/** Frames with their code in an overview. */
const MOST_CODE = 2
const MOST_BREADCRUMBS = 15
const MOST_LISTED = 5

/** One event: its stack with code, what happened before it, and its group. */
export async function answerError(sources: AskSources, event: EventDetail, full: boolean): Promise<Answer> {
  const { client, signal, boardsUrl } = sources
  const [frames, group] = await Promise.all([
    client.mappedFrames(event.eventId, signal),
    client.errorGroup(event.group.hash, signal),
  ])
  return {
    heading: own(`Event ${event.eventId}`),
    sections: [
      { heading: null, rows: aboutEvent(event, boardsUrl) },
      ...stackSections(event, frames, full),
      breadcrumbSection(event, full),
      { heading: 'Group', rows: group === null ? [] : [groupLine(group)] },
      ...(full ? furtherSections(event) : []),
    ],
    next: [
      ...(event.traceId === null ? [] : [getCall(event.traceId)]),
      getCall(event.group.hash),
      ...(full ? [] : [getCall(event.eventId, { full: true })]),
    ],
  }
}

/** A group of errors, with the stack of its newest event. */
export async function answerGroup(sources: AskSources, group: ErrorGroupDetail, full: boolean): Promise<Answer> {
  const { client, signal, boardsUrl, now } = sources
  const { newestEventId: newest } = group
  const [event, frames] = await Promise.all([client.event(newest, signal), client.mappedFrames(newest, signal)])
  const seen = (us: number): Line => agoOf(us / 1000, now())
  const { events, messages } = group
  return {
    heading: own(`Error group ${group.hash}`),
    sections: [
      {
        heading: null,
        rows: [
          line`${received('title', group.title)}`,
          groupLine(group),
          joined([
            fact('first seen', seen(group.firstSeenUs)),
            fact('last seen', seen(group.lastSeenUs)),
            own(plural(group.traces, 'trace')),
          ]),
          fact('board', own(`${boardsUrl}/errors/${group.hash}`)),
          fact('note', received('note', group.note)),
        ],
      },
      {
        heading: 'Messages',
        rows: messages.values
          .slice(0, messages.distinct < 2 ? 0 : MOST_LISTED)
          .map(({ value, count }) => joined([received('message', value, 300), own(`${count}×`)])),
        leftOut: { count: messages.distinct - MOST_LISTED, noun: 'message', call: null },
      },
      ...(event === null ? [] : [...stackSections(event, frames, full), breadcrumbSection(event, full)]),
      {
        heading: 'Newest events',
        rows: events
          .slice(0, full ? events.length : MOST_LISTED)
          .map((one) =>
            joined([
              own(one.eventId),
              seen(one.timestampUs),
              label('service', one.service),
              fact('trace', own(one.traceId)),
            ]),
          ),
      },
    ],
    next: [getCall(newest), ...(event?.traceId ? [getCall(event.traceId)] : [])],
  }
}

const groupLine = (group: ErrorGroupDetail): Line =>
  joined([
    own(group.hash),
    own(plural(group.count, 'event')),
    group.unhandled === 0 ? null : own(`${group.unhandled} unhandled`),
    ...group.services.values.slice(0, MOST_LISTED).map(({ value }) => label('service', value)),
    ...group.releases.values.slice(0, MOST_LISTED).map(({ value }) => fact('release', label('release', value))),
    own(`grouped by ${group.why.variant.replace('_', ' ')}`),
    group.muted ? own('muted') : null,
  ])

const aboutEvent = (event: EventDetail, boardsUrl: string): Section['rows'] => [
  line`${received('title', event.title)}`,
  joined([
    label('level', event.level),
    event.handled === null ? null : own(event.handled ? 'handled' : 'unhandled'),
    fact('mechanism', label('mechanism', event.mechanism)),
    label('service', event.service),
    fact('in', label('transaction', event.transaction)),
  ]),
  joined([timeOf(event.timestampUs / 1000), senderFacts(event), fact('digest', label('digest', event.digest))]),
  joined([
    fact('trace', own(event.traceId)),
    fact('span', own(event.spanId)),
    fact('envelope', event.seq),
    fact('delivery', own(event.deliveryStatus.name)),
  ]),
  fact('board', own(`${boardsUrl}/events/${event.eventId}`)),
]

/** A section for each exception, the outermost first. */
function stackSections(event: EventDetail, mapped: MappedFrames | null, full: boolean): readonly Section[] {
  return event.exceptions.map(({ type, value }, index): Section => {
    const { frames = [], decodedMessage = null } = mapped?.exceptions[index] ?? {}
    const order = full ? frames : [...frames.filter(({ inApp }) => inApp), ...frames.filter(({ inApp }) => !inApp)]
    const shown = full ? order : order.slice(0, MOST_FRAMES)
    const most = full ? frames.length : MOST_CODE
    return {
      heading: index === 0 ? 'Stack' : 'Caused by',
      rows: [
        joined([received('type', type), received('value', value)], ': '),
        fact('React says', received('message', decodedMessage)),
        index === 0 && mapped !== null ? fact('source maps', received('summary', mapped.summary)) : null,
        ...shown.flatMap((frame, at) =>
          frameRows(frame, event.exceptions[index]?.frames[frames.indexOf(frame)]?.source ?? [], at < most),
        ),
      ],
      leftOut: {
        count: frames.length - shown.length,
        noun: 'frame',
        call: getCall(event.eventId, { full: true }),
      },
    }
  })
}

type Code = readonly { readonly line: number | null; readonly text: string; readonly ran: boolean }[]

/** A frame, and its code if it is an important one. @param sent the code that the SDK sent */
function frameRows(frame: MappedFrame, sent: Code, withCode: boolean): readonly Row[] {
  const { raw, inApp } = frame
  const isMapped = frame.result === 'mapped'
  const file =
    (isMapped ? (frame.path ?? frame.source) : 'path' in frame ? (frame.path ?? raw.filename) : raw.filename) ??
    '(no file)'
  const at = isMapped
    ? `${file}:${frame.line}:${frame.column}`
    : [file, raw.line, raw.column].filter((part) => part !== null).join(':')
  const name = (isMapped ? frame.function : null) ?? raw.function
  // Why frames are not mapped is in the summary.
  const note = isMapped ? frame.otherBuild : null
  const code: Code = 'code' in frame && frame.code.length > 0 ? frame.code : sent
  return [
    joined([
      label('function', name),
      line`at ${verbatim(at)}`,
      inApp ? null : own('not of the app'),
      received('reason', note, 300),
    ]),
    ...(withCode && inApp && code.length > 0 ? [codeBlock(code)] : []),
  ]
}

const codeBlock = (code: Code): Block => ({
  block: received(
    'context_line',
    code.map(({ line: number, text, ran }) => `${ran ? '>' : ' '} ${number ?? ''} ${text}`).join('\n'),
  ),
})

function breadcrumbSection({ breadcrumbs, eventId }: EventDetail, full: boolean): Section {
  const shown = full ? breadcrumbs : breadcrumbs.slice(-MOST_BREADCRUMBS)
  return {
    heading: 'Before it',
    rows: shown.map(breadcrumbLine),
    leftOut: {
      count: breadcrumbs.length - shown.length,
      noun: 'earlier breadcrumb',
      call: getCall(eventId, { full: true }),
    },
  }
}

const breadcrumbLine = ({ timestampUs, category, level, message, data }: Breadcrumb): Line =>
  joined([
    timestampUs === null ? null : timeOf(timestampUs / 1000),
    label('category', category),
    level === null || level === 'info' ? null : label('level', level),
    received('message', message, 300),
    data === null || Object.keys(data).length === 0 ? null : received('data', data, 300),
  ])

const furtherSections = ({ tags, request, contexts }: EventDetail): readonly Section[] =>
  Object.entries({ Tags: tags, Request: request ?? {}, Contexts: contexts }).map(([heading, values]) => ({
    heading,
    rows: attributeLines(values),
  }))
