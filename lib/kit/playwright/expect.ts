import { expect as base, type Expect, type MatcherReturnType, type TestInfo, test } from '@playwright/test'
import type { SeenEvent } from '../../verdict/evidence/evidence'
import type { Trace } from '../../verdict/expectations/trace'
import {
  type ErrorMatchers,
  type GoldenMatchers,
  matchers,
  type RecordingMatchers,
  type TraceMatchers,
  type WaystationMatchers,
} from '../matchers'
import type { WithRecording } from '../matchers/matcher'
import { type GoldenContext, matchTraceWith } from '../matchers/to-match-trace'

type Message = Parameters<Expect>[1]

/** Comes before Playwright's own type, which loses the documentation of added matchers. */
interface ExpectTelemetry<More> {
  <T extends WithRecording>(telemetry: T, message?: Message): WithMatchers<AllMatchers, T, More>
  <T extends Trace>(trace: T, message?: Message): WithMatchers<TraceMatchers<void> & GoldenMatchers, T, More>
  <T extends SeenEvent>(error: T, message?: Message): WithMatchers<ErrorMatchers<void>, T, More>
  readonly soft: WaystationExpect<More>
  readonly configure: (configuration: Parameters<Expect['configure']>[0]) => WaystationExpect<More>
  readonly extend: <Added extends Parameters<Expect['extend']>[0]>(matchers: Added) => WaystationExpect<More & Added>
}

interface AllMatchers extends TraceMatchers<Promise<void>>, ErrorMatchers<Promise<void>>, RecordingMatchers {}

/** Our matchers, the test's own, and Playwright's generic ones. */
type WithMatchers<Ours, T, More> = Ours &
  Added<More, T> & { readonly not: Ours & Added<More, T> } & ReturnType<typeof base<T>>

type Added<More, T> = {
  [Name in keyof More as More[Name] extends (received: T, ...args: never[]) => unknown
    ? Name
    : never]: More[Name] extends (received: never, ...args: infer Args) => infer Answer
    ? (...args: Args) => Answer extends PromiseLike<unknown> ? Promise<void> : void
    : never
}

/** Values that a matcher accepts besides `telemetry`. */
interface Received {
  readonly toMatchTrace: Trace
  readonly toHaveSpan: Trace
  readonly toHaveSpanTree: Trace
  readonly toHaveBreadcrumbs: SeenEvent
}
type ReceivedBy<Name> = WithRecording | (Name extends keyof Received ? Received[Name] : never)

/** The matchers in Playwright's form, with the received value first, for promises, polls and `mergeExpects`. */
type PlaywrightMatchers = {
  [Name in keyof WaystationMatchers]: (
    received: ReceivedBy<Name>,
    ...args: Parameters<WaystationMatchers[Name]>
  ) => Name extends keyof GoldenMatchers ? MatcherReturnType : Promise<MatcherReturnType>
}

/** @template More the test's own matchers, added by `extend` */
export type WaystationExpect<More = object> = ExpectTelemetry<More> & Expect<PlaywrightMatchers & More>

/** The used part of Playwright's `TestInfo`. */
interface GoldenTest {
  readonly file: string
  readonly project: Pick<TestInfo['project'], 'name'>
  readonly config: Pick<TestInfo['config'], 'updateSnapshots'>
}

/** When golden files are written. The default was `missing` before Playwright 1.65, and is `default` since then. */
const GOLDEN_MODES = {
  all: 'update',
  changed: 'update',
  missing: 'create',
  default: 'create-and-fail',
  none: 'compare',
} as const

/** By default of the test that is running. @throws Error outside of a test */
export const goldenContext = ({ file, project, config }: GoldenTest = test.info()): GoldenContext => ({
  testFile: file,
  project: project.name,
  mode: GOLDEN_MODES[config.updateSnapshots],
  updateCommand: 'npx playwright test --update-snapshots',
})

const all = { ...matchers, toMatchTrace: matchTraceWith(() => goldenContext()) }

/** Playwright's `expect` with matchers for `telemetry`, traces and errors. */
export const expect = base.extend(all) as WaystationExpect
