import { stripVTControlCharacters } from 'node:util'
import type { BrowserContext, TestInfo } from '@playwright/test'
import { type AllowedError, checkAllowed, unexpectedErrors } from '../../verdict/expectations/unexpected-errors'
import { unreadableEventReason } from '../../verdict/rules/coverage'
import type { SeenRequest } from '../../verdict/rules/rule'
import { collectorClient } from '../../wire/collector-client'
import { CollectorError } from '../../wire/errors'
import { openRecording, type Recording } from '../recording'
import { readSettle, type Settled, type SettleOptions } from '../settle'
import { attachEvidence } from './attach-evidence'
import { type Resolved, RUN_WITH } from './options'
import { type StampCookie, stampCookie } from './stamp'
import { createUnderWay, freshTimeout } from './under-way'
import { type WatchedBrowser, watchBrowser } from './watch-browser'

/** One test's recording, from its first page to its verdict. */
export interface Session {
  /** Opens it, the first time that it is asked for. */
  readonly open: () => Promise<Telemetry>
  /** A context of the test's: once the recording is open, what its pages send is the test's. */
  readonly know: (context: BrowserContext) => Promise<void>
  /** Closes the pages, which send what they still have to say, and waits until that arrived. */
  readonly leave: (context: BrowserContext) => Promise<void>
  /** Judges what was recorded, and attaches it where the test failed. @throws Error with what does not hold */
  readonly finish: () => Promise<void>
}

export interface SessionPlan {
  readonly stamp: string
  /** Called when it is opened. @throws TypeError where options are wrong */
  readonly options: () => Resolved
  readonly info: Pick<TestInfo, 'status' | 'expectedStatus' | 'errors' | 'attach' | 'annotations'>
  readonly fetch: typeof fetch
  readonly now: () => number
}

export function createSession({ stamp, options, info, fetch, now }: SessionPlan): Session {
  const browser = watchBrowser(now)
  let opening: Promise<Opened> | null = null
  const contexts = new Set<BrowserContext>()
  /** Why what was recorded of the pages may not be all: told of the verdict on errors. */
  const doubts: string[] = []
  const unsettled: string[] = []

  const open = (): Promise<Opened> => {
    opening ??= openSession(stamp, options(), fetch, browser).then(async (opened) => {
      for (const context of contexts) await opened.telemetry.watch(context)
      return opened
    })
    return opening
  }
  const settle = async (opened: Opened): Promise<void> => {
    const { settled, sentence } = await opened.settle()
    if (!settled) unsettled.push(`the test was judged before it was quiet: ${sentence}`)
  }

  return {
    open: async () => (await open()).telemetry,
    know: async (context) => {
      contexts.add(context)
      await (await opening)?.telemetry.watch(context)
    },
    leave: async (context) => {
      const opened = await opening?.catch(() => null)
      if (!opened) return
      if (await opened.cookie.isGone(context)) doubts.push(COOKIE_GONE)
      await settle(opened)
    },
    finish: async () => {
      // What could not be opened has failed the test already.
      const opened = await opening?.catch(() => null)
      if (!opened) return
      if (contexts.size === 0) await settle(opened)
      const { told, fails } = info.status === 'skipped' ? NOTHING : judge(opened)
      for (const description of told) info.annotations.push({ type: 'telemetry', description })
      const unawaited = await opened.telemetry.close()
      const wrong = [...fails, ...unawaited.map((words) => `a wait that nobody awaited came to nothing: ${words}`)]
      if (wrong.length > 0 || info.status !== info.expectedStatus)
        await attachEvidence({
          ...opened,
          withEnvelopes: opened.resolved.attachEnvelopes,
          attach: (name, given) => info.attach(name, given),
        })
      if (wrong.length > 0) throw new Error(wrong.join('\n\n'))
    },
  }

  /** What an expectation of the test has failed with is told once. */
  function hasTold(words: string): boolean {
    return info.errors.some(({ message = '' }) => stripVTControlCharacters(message).includes(words))
  }

  function judge({ telemetry, resolved: { unexpectedErrors: does, allow } }: Opened): Judgement {
    const evidence = telemetry.evidence()
    const nothing =
      contexts.size > 0 && evidence.envelopes.length === 0 ? [`nothing was recorded with stamp ${stamp}`] : []
    const noted = [...nothing, ...unsettled]
    if (does === 'ignore') return { told: noted, fails: [] }
    const { verdict, message: told } = unexpectedErrors(evidence, { allow, now: now() }, telemetry.boards)
    const unread = unreadableEventReason(evidence)
    const gaps = [...doubts, ...telemetry.gaps(), ...(unread === null ? [] : [unread])].map(
      (gap) => `whether an unexpected error arrived cannot be said: ${gap}`,
    )
    const found = verdict.verdict === 'fail' ? [told].filter((words) => !hasTold(words)) : gaps
    return does === 'fail' ? { told: noted, fails: found } : { told: [...noted, ...found], fails: [] }
  }
}

/** What goes to the test's annotations, and what fails it. */
interface Judgement {
  readonly told: readonly string[]
  readonly fails: readonly string[]
}
const NOTHING: Judgement = { told: [], fails: [] }

interface Opened {
  readonly telemetry: Telemetry
  /** As `telemetry.settle`, without waiting for what servers tell of what they have answered: that takes seconds. */
  readonly settle: () => Promise<Settled>
  readonly client: ReturnType<typeof collectorClient>
  readonly cookie: StampCookie
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
  const recording = await openOrSay(resolved, () =>
    openRecording({
      client,
      stamp,
      collectorUrl,
      appUrl: resolved.appUrl,
      watched,
      ifNothingCame: NOT_WATCHED,
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(settleMs === undefined ? {} : { quietMs: settleMs }),
    }),
  )
  const allowed = [...resolved.allow]
  const underWay = createUnderWay({
    ...browser,
    ...recording,
    origins: resolved.origins,
    timeout: TIMEOUT,
  })
  // What pages show is looked at when it is asked for what they told.
  const settle = async (given: SettleOptions | undefined, withSegments: boolean): Promise<Settled> => {
    const began = recording.clock.now()
    readSettle(given ?? {}, 0)
    const most = given?.quiet === 0 ? 0 : Math.min(recording.waitMs, given?.timeout ?? recording.waitMs)
    await browser.look()
    if (most > 0) await underWay.answers(most)
    if (given?.keepPages !== true) await browser.closePages()
    if (withSegments && most > 0) await underWay.segments(most)
    const settled = await recording.settle(given)
    return { ...settled, waitedMs: Math.round(recording.clock.now() - began) }
  }
  const telemetry: Telemetry = {
    ...recording,
    settle: (given) => settle(given, true),
    trace: async (of) => {
      await underWay.answers(recording.waitMs)
      await underWay.segments(recording.waitMs)
      return recording.trace(of)
    },
    get headers() {
      return recording.headers
    },
    requests: browser.requests,
    allow: (error) => {
      checkAllowed({ error })
      allowed.push({ error })
    },
    allowed: () => allowed,
    watch: async (context) => {
      if (resolved.origins.length === 0) throw new TypeError(NO_ORIGIN)
      browser.watch(context)
      await cookie.give(context)
    },
  }
  return {
    telemetry,
    settle: () => settle(undefined, false),
    client,
    cookie,
    resolved: { ...resolved, allow: allowed },
  }
}

/** Of this worker: what one of its tests has waited for in vain no other waits for. */
const TIMEOUT = freshTimeout()

const NOT_WATCHED =
  'what pages send of a context that the test made itself is the test’s after telemetry.watch(context)'

const NO_ORIGIN =
  "pages cannot be told apart: a test's pages have a cookie, and no origin is known to give it to. Say `baseURL` in `use` of playwright.config.ts, or waystation.origins"

const COOKIE_GONE =
  "the pages' cookie waystation-stamp is gone: what they sent since then is in no test's recording. A page or its server cleared it; context.clearCookies() keeps it"

async function openOrSay(resolved: Resolved, open: () => Promise<Recording>): Promise<Recording> {
  try {
    return await open()
  } catch (cause) {
    if (!(cause instanceof CollectorError)) throw cause
    if (cause.status === 401) throw new Error(tokenWords(resolved), { cause })
    const answer = cause.status === null ? 'nobody answers' : `the answer is ${cause.status} (${cause.message})`
    throw new Error(`no collector at ${resolved.collectorUrl}: ${answer}. To start one, ${RUN_WITH}`, { cause })
  }
}

const tokenWords = ({ collectorUrl, token }: Resolved): string =>
  `the collector at ${collectorUrl} wants a token: ${token === null ? 'WAYSTATION_TOKEN is not set, and is' : 'WAYSTATION_TOKEN is another than it has; it is'} meant as the one that it was started with`

/**
 * What the test's own pages, and the servers behind them, told of: nothing of another test's.
 *
 *     const loaded = telemetry.waitFor.transaction({ op: 'pageload', name: '/checkout' })
 *     await page.goto('/checkout')
 *     expect(await telemetry.trace(await loaded)).toHaveSpan({ op: 'db' })
 */
export interface Telemetry extends Recording {
  /** Requests that the browser was seen to make, in the order in which they began. */
  readonly requests: () => readonly SeenRequest[]
  /** An error that the test means to cause: it fails nothing. */
  readonly allow: (error: AllowedError['error']) => void
  /** Takes in a context that the test has made itself: call it before its first page goes anywhere. */
  readonly watch: (context: BrowserContext) => Promise<void>
}
