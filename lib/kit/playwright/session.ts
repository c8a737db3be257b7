import { basename } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { BrowserContext, TestInfo, TestInfoError } from '@playwright/test'
import { isRefused, refusedPost, unarrived } from '../../verdict/arrival/envelope-posts'
import type { ObservedTest } from '../../verdict/arrival/observed'
import { judgePageloads } from '../../verdict/arrival/pageloads'
import { silentFailures } from '../../verdict/arrival/server-answers'
import { isExemptPage } from '../../verdict/expectations/expected-telemetry'
import { unexpectedErrors } from '../../verdict/expectations/unexpected-errors'
import { unreadableEventReason } from '../../verdict/rules/coverage'
import type { SeenRequest } from '../../verdict/rules/rule'
import { collectorClient } from '../../wire/collector-client'
import { CollectorError } from '../../wire/errors'
import { pause, SYSTEM_CLOCK } from '../clock'
import { openRecording, type Recording } from '../recording'
import { appendToRunFile, readRunPlan } from '../run-file'
import { sourceReader } from '../source-frame'
import { readSettleOptions, type Settled, type SettleOptions } from '../wait-until-settled'
import { attachEvidence } from './attach-evidence'
import { createInFlight, emptyHistory } from './in-flight'
import { leavePages } from './leave-page'
import { type BrowserObserver, observeBrowser, tracedRequests } from './observe-browser'
import { type Resolved, RUN_WITH } from './options'
import { type StampCookie, stampCookie } from './stamp'
import { SEEN_REQUESTS, type WatchedBrowser, watchBrowser } from './watch-browser'

export interface Session {
  /** Opens the recording with the first call. */
  readonly open: () => Promise<Telemetry>
  /** Adds a browser context: once the recording is open, telemetry of its pages belongs to the test. */
  readonly addContext: (context: BrowserContext) => Promise<void>
  /** Lets the pages send their remaining telemetry, closes them, and waits until it has arrived. */
  readonly closePages: (context: BrowserContext) => Promise<void>
  /** Checks the recording, and attaches it if the test failed. @throws Error with the failures */
  readonly finish: () => Promise<void>
}

export interface SessionPlan {
  readonly stamp: string
  /** Called when it is opened. @throws TypeError for invalid options */
  readonly options: () => Resolved
  readonly info: Pick<
    TestInfo,
    | 'status'
    | 'expectedStatus'
    | 'errors'
    | 'attach'
    | 'annotations'
    | 'title'
    | 'titlePath'
    | 'file'
    | 'line'
    | 'column'
    | 'testId'
    | 'retry'
  >
  readonly fetch: typeof fetch
  readonly now: () => number
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createSession({ stamp, options, info, fetch, now, env }: SessionPlan): Session {
  const browser = watchBrowser(now)
  let opening: Promise<Opened> | null = null
  const contexts = new Set<BrowserContext>()
  /** Why telemetry of the pages may be missing, for the verdict on errors. */
  const doubts: string[] = []
  const unsettled: string[] = []

  const open = (): Promise<Opened> => {
    opening ??= openSession(stamp, options(), fetch, browser).then(async (opened) => {
      for (const context of contexts) await opened.telemetry.watch(context)
      return opened
    })
    return opening
  }
  const waitUntilSettled = async (opened: Opened): Promise<void> => {
    const { settled, message: sentence } = await opened.settle()
    if (!settled) unsettled.push(`telemetry did not settle before the verdict: ${sentence}`)
  }

  return {
    open: async () => (await open()).telemetry,
    addContext: async (context) => {
      contexts.add(context)
      await (await opening)?.telemetry.watch(context)
    },
    closePages: async (context) => {
      const opened = await opening?.catch(() => null)
      if (!opened) return
      if (await opened.cookie.isMissing(context)) doubts.push(COOKIE_GONE)
      await waitUntilSettled(opened)
    },
    finish: async () => {
      // If opening failed, the test has failed already.
      const opened = await opening?.catch(() => null)
      if (!opened) return
      if (contexts.size === 0) await waitUntilSettled(opened)
      const observed = await observedTest(opened)
      await awaitErrors(opened, observed)
      const { annotations, failures } = info.status === 'skipped' ? NOTHING : await judge(opened, observed)
      for (const description of annotations) info.annotations.push({ type: 'telemetry', description })
      const unawaited = await opened.telemetry.close()
      const wrong = [...failures, ...unawaited.map((words) => `a wait without await failed: ${words}`)]
      const isOk = info.status === info.expectedStatus && wrong.length === 0
      const errors = isOk ? [] : [...info.errors.map(errorText), ...wrong].slice(0, MOST_ERRORS).map(shortened)
      appendToRunFile({ ...observed, isOk, errors }, env)
      if (wrong.length > 0 || info.status !== info.expectedStatus)
        await attachEvidence({
          ...opened,
          withEnvelopes: opened.resolved.attachEnvelopes,
          attach: (name, given) => info.attach(name, given),
        })
      if (wrong.length > 0) throw atTestLine(wrong.join('\n\n'))
    },
  }

  /** An error whose stack is the line of the test, so that Playwright shows it; its own has only lines of the kit. */
  function atTestLine(message: string): Error {
    const error = new Error(message)
    error.stack = `Error: ${message}\n    at ${info.title} (${info.file}:${info.line}:${info.column})`
    return error
  }

  /** Was this message already reported by a failed expectation of the test? */
  function isReported(words: string): boolean {
    return info.errors.some(({ message = '' }) => stripVTControlCharacters(message).includes(words))
  }

  async function observedTest({ telemetry, observer, resolved }: Opened): Promise<Observed> {
    const { posts, ...seen } = await observer.read()
    const requests = telemetry.requests()
    return {
      kind: 'browser',
      // The first part of the path is the file.
      test: `${info.titlePath.slice(1).join(' › ')} (${basename(info.file)}:${info.line})`,
      stamp,
      testId: info.testId,
      attempt: info.retry,
      isCut: requests.length >= SEEN_REQUESTS,
      ...seen,
      posts: resolved.refusedEnvelopes === 'ignore' ? [] : posts,
      traced: [...tracedRequests(requests, resolved.origins)],
      requests: requests.filter(({ resourceType }) => !STATIC.has(resourceType)),
      fallbacks: [...browser.fallbacks()],
    }
  }

  /** Waits for the error events of answers of 500: a suite may end its server with its last test. */
  async function awaitErrors(
    { telemetry: { evidence, clock, endReason } }: Opened,
    { failures }: Observed,
  ): Promise<void> {
    const until = clock.now() + ERROR_MS
    while (silentFailures(failures, evidence()).length > 0 && endReason() === null && clock.now() < until)
      await pause(clock, POLL_INTERVAL_MS)
  }

  /** Refused envelopes, and pages without a pageload if others of the test have one. */
  function judgeArrival({ telemetry, resolved }: Opened, observed: Observed): Judgement {
    const refused = observed.posts.filter(isRefused).map((post) => {
      const { about, actual } = refusedPost(post, observed.test)
      return `${about}: ${actual}`
    })
    const without = [...resolved.pagesWithout, ...readRunPlan(env).pagesWithout]
    const { judged, gaps } = judgePageloads([observed], telemetry.evidence(), (path) =>
      isExemptPage(path, { pages: { without } }),
    )
    const texts = (of: 'error' | 'warning'): readonly string[] =>
      judged.flatMap(({ severity, verdict }) =>
        severity === of && verdict.verdict === 'fail'
          ? verdict.findings.map(({ about, actual }) => `${about}: ${actual}`)
          : [],
      )
    const isFailing = resolved.refusedEnvelopes === 'fail'
    // An envelope that was posted without the cookie arrives without the stamp: then only the run knows what arrived.
    const isWhole = unarrived(observed.posts, telemetry.evidence()).every(isRefused)
    return {
      annotations: [...gaps, ...texts('warning'), ...(isFailing ? [] : refused)],
      failures: [...(isWhole ? texts('error') : []), ...(isFailing ? refused : [])],
    }
  }

  async function judge(opened: Opened, observed: Observed): Promise<Judgement> {
    const { telemetry, resolved } = opened
    const { unexpectedErrors: reaction } = resolved
    const evidence = telemetry.evidence()
    const nothing =
      contexts.size > 0 && evidence.envelopes.length === 0 ? [`nothing was recorded with stamp ${stamp}`] : []
    const arrival = judgeArrival(opened, observed)
    const notes = [...nothing, ...unsettled, ...arrival.annotations]
    if (reaction === 'ignore') return { annotations: notes, failures: arrival.failures }
    const { verdict, message } = unexpectedErrors(
      evidence,
      { allow: telemetry.allowed(), now: now() },
      telemetry.boards,
    )
    const unread = unreadableEventReason(evidence)
    const gaps = [...doubts, ...telemetry.gaps(), ...(unread === null ? [] : [unread])].map(
      (gap) => `unexpected errors cannot be ruled out: ${gap}`,
    )
    const isNew = verdict.verdict === 'fail' && !isReported(message)
    const errors = isNew ? [[message, ...(await telemetry.errorHints(verdict))].join('\n\n')] : []
    const found = verdict.verdict === 'fail' ? errors : gaps
    return reaction === 'fail'
      ? { annotations: notes, failures: [...found, ...arrival.failures] }
      : { annotations: [...notes, ...found], failures: arrival.failures }
  }
}

/** Before the verdict on the test. */
type Observed = Omit<ObservedTest, 'isOk' | 'errors'>

const MOST_ERRORS = 5
const MOST_ERROR_CHARACTERS = 2_000

/** The message of a failed assertion, and where the test made it. */
function errorText({ message = '', stack = '' }: TestInfoError): string {
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'))
  return [message, ...lines.slice(0, 3)].join('\n')
}

const shortened = (text: string): string => stripVTControlCharacters(text).slice(0, MOST_ERROR_CHARACTERS)

/** Messages for the test's annotations, and messages that fail it. */
interface Judgement {
  readonly annotations: readonly string[]
  readonly failures: readonly string[]
}
/** Servers send errors at once; one that is missing after this time is not sent. */
const ERROR_MS = 3_000
const POLL_INTERVAL_MS = 50

/** Resource types that no rule judges. */
const STATIC: ReadonlySet<string> = new Set(['image', 'stylesheet', 'font', 'media', 'script'])

const NOTHING: Judgement = { annotations: [], failures: [] }

interface Opened {
  readonly telemetry: Telemetry
  /** Like `telemetry.settle`, without waiting for server segments, which takes seconds. */
  readonly settle: () => Promise<Settled>
  readonly client: ReturnType<typeof collectorClient>
  readonly cookie: StampCookie
  readonly observer: BrowserObserver
  readonly resolved: Resolved
}

async function openSession(
  stamp: string,
  resolved: Resolved,
  fetchLike: typeof fetch,
  browser: WatchedBrowser,
): Promise<Opened> {
  const { collectorUrl, token, waitMs, settleMs } = resolved
  const client = collectorClient(collectorUrl, fetchLike, token === null ? {} : { authorization: `Bearer ${token}` })
  const cookie = stampCookie(stamp, resolved.origins)
  const watched = () => ({ requests: browser.requests(), fallbacks: browser.fallbacks() })
  const recording = await openOrExplain(resolved, () =>
    openRecording({
      client,
      stamp,
      collectorUrl,
      appUrl: resolved.appUrl,
      watched,
      emptyHint: NOT_WATCHED,
      allow: resolved.allow,
      variable: 'telemetry',
      readSource: sourceReader(resolved.origins, fetchLike),
      report: (entry) => appendToRunFile(entry, process.env),
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(settleMs === undefined ? {} : { idleMs: settleMs }),
    }),
  )
  const { origins } = resolved
  const observer = observeBrowser({ origins, collectorUrl, clock: SYSTEM_CLOCK, onPost: recording.addPost })
  const prepareLeaving = leavePages({ origins, observer, clock: SYSTEM_CLOCK })
  const underWay = createInFlight({
    ...browser,
    ...recording,
    origins: resolved.origins,
    history: WAIT_HISTORY,
  })
  // Error fallbacks are read when telemetry is needed.
  const waitUntilSettled = async (given: SettleOptions | undefined, withSegments: boolean): Promise<Settled> => {
    const began = recording.clock.now()
    readSettleOptions(given ?? {}, 0)
    const most = given?.idle === 0 ? 0 : Math.min(recording.waitMs, given?.timeout ?? recording.waitMs)
    await browser.readFallbacks()
    if (most > 0) await underWay.answers(most)
    if (given?.keepPages !== true) await browser.closePages()
    if (withSegments && most > 0) await underWay.segments(most)
    const settled = await recording.settle(given)
    return { ...settled, waitedMs: Math.round(recording.clock.now() - began) }
  }
  const telemetry: Telemetry = {
    ...recording,
    settle: (given) => waitUntilSettled(given, true),
    trace: async (of) => {
      await underWay.answers(recording.waitMs)
      await underWay.segments(recording.waitMs)
      return recording.trace(of)
    },
    get headers() {
      return recording.headers
    },
    requests: browser.requests,
    watch: async (context) => {
      if (resolved.origins.length === 0) throw new TypeError(NO_ORIGIN)
      browser.watch(context)
      observer.watch(context)
      prepareLeaving(context)
      await cookie.addTo(context)
    },
  }
  return {
    telemetry,
    settle: () => waitUntilSettled(undefined, false),
    client,
    cookie,
    observer,
    resolved,
  }
}

const WAIT_HISTORY = emptyHistory()

const NOT_WATCHED = 'pages of a browser context that the test created need telemetry.watch(context)'

const NO_ORIGIN =
  'the stamp cookie needs an origin: set `baseURL` in `use` of playwright.config.ts, or waystation.origins'

const COOKIE_GONE =
  'the cookie waystation-stamp was removed by a page or its server, so later telemetry is not recorded; context.clearCookies() keeps the cookie'

async function openOrExplain(resolved: Resolved, open: () => Promise<Recording>): Promise<Recording> {
  try {
    return await open()
  } catch (cause) {
    if (!(cause instanceof CollectorError)) throw cause
    if (cause.status === 401) throw new Error(tokenMessage(resolved), { cause })
    const answer = cause.status === null ? 'no answer' : `it answered ${cause.status} (${cause.message})`
    throw new Error(`no collector at ${resolved.collectorUrl}: ${answer}; ${RUN_WITH}`, { cause })
  }
}

const tokenMessage = ({ collectorUrl, token }: Resolved): string =>
  `the collector at ${collectorUrl} requires authentication: ${token === null ? 'WAYSTATION_TOKEN is not set' : 'WAYSTATION_TOKEN is wrong'}; set it to the token of the collector`

/**
 * The telemetry of the test's pages and their servers, without that of other tests.
 *
 *     const loaded = telemetry.waitFor.transaction({ op: 'pageload', name: '/checkout' })
 *     await page.goto('/checkout')
 *     expect(await telemetry.trace(await loaded)).toHaveSpan({ op: 'db' })
 */
export interface Telemetry extends Recording {
  /** Observed browser requests, in the order in which they began. */
  readonly requests: () => readonly SeenRequest[]
  /** Adds a browser context that the test created. Call it before its first page navigates. */
  readonly watch: (context: BrowserContext) => Promise<void>
}
