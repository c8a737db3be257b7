import type { ErrorGroup } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import { printable } from '../ui/printable'
import { titleMatcher } from './group-text'
import { positionText, type ShownFrame } from './stack-display'

type CopiedGroup = Pick<ErrorGroup, 'title' | 'count' | 'traces'>

/** In a test a recording is `telemetry` with Playwright and `recording` with Vitest. */
export type TestRunner = 'telemetry' | 'recording'

/** A statement that allows errors with this title in a test. */
export const allowText = (pattern: string): string => `telemetry.allow(${titleMatcher(pattern)})`

/** Statements that wait for an error with this title, and compare what is the same in each run. */
export function assertionText(event: EventDetail, pattern: string, variable: TestRunner): string {
  const fields = [
    ...(event.handled === null ? [] : [`handled: ${event.handled}`]),
    `service: ${quoted(event.service)}`,
    ...(event.transaction === null ? [] : [`transaction: ${quoted(event.transaction)}`]),
  ]
  const matcher = titleMatcher(pattern)
  return [
    `${variable}.allow(${matcher})`,
    `const failure = ${variable}.waitFor.error({ title: ${matcher} })`,
    '// cause the error here',
    `expect(await failure).toMatchObject({ ${fields.join(', ')} })`,
    '',
  ].join('\n')
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Frames of each exception in the Markdown. */
const MOST_FRAMES = 12

/** An error for an issue: heading, facts, stack with the code that failed, and addresses. */
export function markdownText(
  event: EventDetail,
  group: CopiedGroup | null,
  stacks: readonly (readonly ShownFrame[])[],
  pageUrl: string,
): string {
  const facts = [
    ['Where', [event.service, event.transaction].filter((part) => part !== null).join(', ')],
    ['Handled', event.handled === null ? null : event.handled ? 'yes' : 'no'],
    ['Release', event.release],
    ['Environment', event.environment],
    ['Time', new Date(event.timestampUs / 1000).toISOString()],
    ['Events', group === null ? null : `${group.count} in ${group.traces} traces`],
    ['Trace', event.traceId],
  ] as const
  return [
    `## ${inline(event.title)}`,
    '',
    ...facts.flatMap(([name, text]) => (text === null || text === '' ? [] : [`- ${name}: ${inline(text)}`])),
    `- Waystation: ${pageUrl}`,
    '',
    ...event.exceptions.flatMap((exception, at) => [
      `${at === 0 ? '' : 'Caused by '}**${inline(exception.type ?? 'Error')}**: ${inline(exception.value ?? '')}`,
      '',
      ...fenced(stackLines(stacks[at] ?? [])),
      '',
    ]),
  ].join('\n')
}

function stackLines(frames: readonly ShownFrame[]): readonly string[] {
  const open = frames.find(({ inApp, code }) => inApp && code.length > 0)
  return [
    ...frames.slice(0, MOST_FRAMES).map((frame) => `at ${frame.function ?? '(anonymous)'} (${positionText(frame)})`),
    ...(frames.length > MOST_FRAMES ? [`… ${frames.length - MOST_FRAMES} more`] : []),
    ...(open === undefined
      ? []
      : ['', ...open.code.map(({ line, text, ran }) => `${ran ? '>' : ' '} ${line ?? ''} ${text}`)]),
  ]
}

/** A fence longer than any in the text, so that received text cannot end it. */
function fenced(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map((ticks) => ticks.length)))
  const fence = '`'.repeat(longest + 1)
  return [fence, ...lines.map((line) => printable(line)), fence]
}

/** Received text in a line of Markdown: its own marks show as they are. */
const inline = (text: string): string => printable(text).replace(/[\\`*_[\]<>#|!@]/g, '\\$&')
