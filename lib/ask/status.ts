import * as z from 'zod'
import { formatCount, formatDurationMs, plural } from '../format'
import { rolesText } from '../protocol/roles'
import type { Figures } from '../wire/figures'
import type { Overview, Status, UpstreamState } from '../wire/overview'
import type { Program, Programs } from '../wire/programs'
import { reachText } from '../wire/reach-text'
import { type Answer, agoOf, cursorInput, fact, joined, type Line, line, own, senderFacts } from './answer'
import type { Call } from './calls'
import { checkLine, OF_APPS } from './doctor-check'
import { judge, verdictLines } from './judge'
import { received, verbatim } from './received'
import type { AskSources, DoctorCheck, RecordedPart } from './sources'
import { defineVerb } from './verb'

/** `status`: who is connected, what arrived, what became of it, and what is wrong now. */
export const statusVerb = defineVerb({
  name: 'status',
  description: 'Start here: connected programs, counts and verdict, delivery, what is wrong now and the next step.',
  input: {
    since: z
      .string()
      .max(200)
      .optional()
      .describe('counts and judges only what arrived after this: a mark, journal number, time, or age such as 10m'),
    cursor: cursorInput,
  },
  run: answerStatus,
})

async function answerStatus(sources: AskSources, { since }: { readonly since?: string | undefined }): Promise<Answer> {
  const { client, signal } = sources
  const current = await client.status(signal)
  const { roles } = current
  if (roles !== undefined && !roles.includes('query')) return withoutQueries(sources, current)
  const after = since === undefined ? null : await sources.journalOf(since)
  const [overview, programs, figures, checks] = await Promise.all([
    client.overview(signal),
    client.programs(signal),
    client.figures(false, signal),
    sources.doctor({ app: null, tunnel: null, dsn: null }),
  ])
  const part = after === null ? null : await sources.recorded({ after, stamp: null })
  const report = part === null ? null : await judge(sources, part, null)
  const last = figures.navigation.contract
  const isEmpty = overview.counts.envelopes + overview.counts.copies === 0
  return {
    heading: own(overview.isShown ? 'Status of a saved run' : 'Status'),
    sections: [
      {
        heading: null,
        rows: [
          fact('Collector', own(sources.url)),
          fact('Boards', own(sources.boardsUrl)),
          rolesLine(current),
          overview.isShown ? null : fact('DSN for SDKs', own(overview.localDsn)),
          fact('Journal', overview.journal),
          isEmpty ? own('Nothing has arrived yet.') : null,
          overview.reach === undefined ? null : fact('Reach', own(reachText(overview.reach, overview.now))),
        ],
      },
      { heading: 'Wrong now', rows: [...wrongNow(checks).map(checkLine), ...recentLines(figures, overview)] },
      { heading: 'Programs of the last hour', rows: programLines(programs) },
      {
        heading: part === null ? 'Stored' : `Since journal number ${after}`,
        rows: [
          isEmpty ? null : countsLine(part === null ? overview.counts : countsOf(part)),
          ...(report === null ? [] : verdictLines(report)),
          report === null && last !== null
            ? own(
                `Contract: ${last.verdict}${last.failed === 0 ? '' : `, ${plural(last.failed, 'failed rule')}`}${last.isStale ? ' (telemetry arrived since this verdict)' : ''}`,
              )
            : null,
        ],
      },
      { heading: 'Lost in the last 15 minutes', rows: figures.navigation.losses.map(lossLine) },
      { heading: 'Delivery', rows: deliveryLines(overview) },
      ...(overview.store === undefined ? [] : [{ heading: 'Shared record', rows: storeLines(overview.store) }]),
    ],
    next: nextCalls(isEmpty, overview, since),
  }
}

/** Of a collector without the role `query`: the checks, and its deliveries. */
async function withoutQueries({ url, doctor }: AskSources, current: Status): Promise<Answer> {
  const checks = await doctor({ app: null, tunnel: null, dsn: null })
  return {
    heading: own('Status of a collector without queries'),
    sections: [
      {
        heading: null,
        rows: [
          fact('Collector', own(url)),
          rolesLine(current),
          current.localDsn === null ? null : fact('DSN for SDKs', own(current.localDsn)),
        ],
      },
      { heading: 'Wrong now', rows: wrongNow(checks).map(checkLine) },
      { heading: 'Delivery', rows: current.upstreams.map(upstreamLine) },
    ],
    next: [],
  }
}

const rolesLine = ({ roles }: Status): Line | null =>
  roles === undefined ? null : fact('Roles', own(rolesText(roles)))

/** Readiness repeats the other checks: it counts alone. */
function wrongNow(checks: readonly DoctorCheck[]): readonly DoctorCheck[] {
  const broken = checks.filter(({ id, state }) => state === 'broken' && !OF_APPS.includes(id))
  return broken.length > 1 ? broken.filter(({ id }) => id !== 'ready') : broken
}

/** Errors and refused requests of the last 15 minutes. */
const recentLines = (
  { navigation: { errors, newGroups, refused } }: Figures,
  { refusals }: Overview,
): readonly Line[] => [
  ...(errors === 0
    ? []
    : [
        joined([
          own(`${plural(errors, 'error')} in the last 15 minutes`),
          newGroups === 0 ? null : own(`${plural(newGroups, 'group')} new in the last hour`),
          fact('see', own('search errors')),
        ]),
      ]),
  ...(refused === 0
    ? []
    : [
        joined([
          own(`${plural(refused, 'request')} refused in the last 15 minutes, so their items are lost`),
          fact('refused so far', own(refusals.map(({ reason, envelopes }) => `${envelopes} ${reason}`).join(', '))),
          fact('see', own('explain with the address of the page as app')),
        ]),
      ]),
]

const programLines = ({ programs, now }: Programs): readonly Line[] =>
  programs.flatMap((program) => [programLine(program, now), ...program.problems.map(problemLine)])

const programLine = ({ service, sdk, project, release, environment, lastSeen }: Program, now: number): Line =>
  joined([
    received('service', service),
    received('sdk', sdk),
    fact('project', received('project', project)),
    senderFacts({ environment, release }),
    agoOf(lastSeen, now),
  ])

const problemLine = ({ found, fix }: Program['problems'][number]): Line => ({
  ...joined([own(`wrong: sends ${found}`), fact('fix', own(fix))]),
  depth: 1,
})

type Counts = Pick<Overview['counts'], 'envelopes' | 'traces' | 'spans' | 'errors' | 'refused'>

const countsLine = ({ envelopes, traces, spans, errors, refused }: Counts): Line =>
  joined([
    own(plural(envelopes, 'envelope')),
    own(plural(traces, 'trace')),
    own(plural(spans, 'span')),
    own(plural(errors, 'error')),
    refused === 0 ? null : own(`${formatCount(refused)} refused`),
  ])

function countsOf({ given: { evidence } }: RecordedPart): Counts {
  const traces = new Set([...evidence.segments, ...evidence.events].flatMap(({ traceId }) => traceId ?? []))
  return {
    envelopes: evidence.envelopes.filter(({ copy }) => !copy).length,
    traces: traces.size,
    spans: evidence.spans.length,
    errors: evidence.events.length,
    refused: 0,
  }
}

const lossLine = ({
  by,
  reason,
  category,
  quantity,
}: {
  by: string
  reason: string
  category: string
  quantity: number
}): Line =>
  joined([
    line`${quantity} ${received('category', category)}`,
    fact('by', own(by)),
    fact('reason', received('reason', reason)),
  ])

function deliveryLines({ items, upstreams, localOnly, script }: Overview): readonly (Line | null)[] {
  const outcomes = Object.entries(items.outcomes).filter(([, count]) => count > 0)
  return [
    items.received === 0
      ? null
      : joined([
          own(`${plural(items.received, 'item')} received`),
          items.pending === 0 ? null : own(`${formatCount(items.pending)} pending`),
          ...outcomes.map(([name, count]) => own(`${formatCount(count)} ${name}`)),
        ]),
    localOnly ? own('No upstream is configured: nothing leaves this machine.') : null,
    ...upstreams.map(upstreamLine),
    script === null ? null : fact('the stand-in plays', received('script', script)),
  ]
}

const upstreamLine = ({ label, state, pending, deadLetters, last }: UpstreamState): Line =>
  joined([
    verbatim(label),
    own(state.replace('_', ' ')),
    pending === 0 ? null : own(`${formatCount(pending)} pending`),
    deadLetters === 0 ? null : own(plural(deadLetters, 'dead letter')),
    fact('last answer', last?.status ?? null),
    last?.error == null ? null : fact('last error', received('error', last.error)),
  ])

function storeLines({ place, away, mirror, lanes }: NonNullable<Overview['store']>): readonly (Line | null)[] {
  return [
    joined([fact('PostgreSQL', own(place)), away === null ? own('answers') : own(away)]),
    mirror === undefined
      ? null
      : joined([
          own(
            mirror.missing === null
              ? 'how far this collector is behind is unknown'
              : mirror.missing === 0
                ? 'this collector has copied all of it'
                : `this collector is ${plural(mirror.missing, 'fact')} behind`,
          ),
          mirror.lagMs ? fact('lag', own(formatDurationMs(mirror.lagMs))) : null,
        ]),
    lanes === null
      ? null
      : joined([
          own(`${plural(lanes.own, 'lane')} of this collector`),
          own(`${formatCount(lanes.others)} of others`),
          lanes.free === 0 ? null : own(`${formatCount(lanes.free)} of none`),
        ]),
  ]
}

function nextCalls(isEmpty: boolean, { counts }: Overview, since: string | undefined): readonly Call[] {
  if (isEmpty) return [{ verb: 'explain', args: {} }]
  const of: Call['args'] = since === undefined ? {} : { since }
  return [
    ...(counts.errors > 0 ? [{ verb: 'search', args: { kind: 'errors', ...of } }] : []),
    { verb: 'search', args: { kind: 'traces', ...of } },
    { verb: 'check', args: of },
  ]
}
