import type { BrowserContext, Page } from '@playwright/test'
import { type Clock, pause } from '../clock'

/** How long a page may take, once it is left, to send what its SDKs have buffered. */
export const LEAVE_MS = 15_000
/** For an SDK of Sentry; less, so that its answer is still read. */
const FLUSH_MS = 14_000
const POLL_INTERVAL_MS = 25

/** The used part of Playwright's `Page`. */
export interface PageToLeave {
  readonly isClosed: () => boolean
  readonly frames: () => readonly {
    readonly url: () => string
    readonly evaluate: (inPage: typeof hideDocument, flushMs: number) => Promise<boolean>
  }[]
  close: (options?: Parameters<Page['close']>[0]) => Promise<void>
}

/** The used part of Playwright's `BrowserContext`. */
export interface ContextToLeave<Left> {
  readonly pages: () => readonly Left[]
  readonly on: (event: 'page', listener: (page: Left) => void) => unknown
  close: (options?: Parameters<BrowserContext['close']>[0]) => Promise<void>
}

export interface LeavingPlan<Left> {
  /** Origins of the test; frames of other sites are left alone. */
  readonly origins: readonly string[]
  readonly observer: {
    readonly hasSent: (page: Left) => void
    readonly isSending: (page: Left) => boolean
  }
  readonly clock: Clock
}

/**
 * Lets pages send what their SDKs have buffered before they close, also when the test closes them. A browser ends the
 * requests of a page that is closed, and SDKs send only when the page says that it is hidden.
 * @returns a function that prepares the pages of a context
 */
export function leavePages<Left extends PageToLeave>({
  origins,
  observer,
  clock,
}: LeavingPlan<Left>): (context: ContextToLeave<Left>) => void {
  const isOwn = (url: string): boolean => URL.canParse(url) && origins.includes(new URL(url).origin)

  const leave = async (page: Left): Promise<void> => {
    const frames = page.isClosed() ? [] : page.frames().filter((frame) => isOwn(frame.url()))
    if (frames.length === 0) return
    const until = clock.now() + LEAVE_MS
    const over = new AbortController()
    // A page that crashed, navigates or runs an endless loop does not answer.
    const hidden = Promise.all(frames.map((frame) => frame.evaluate(hideDocument, FLUSH_MS).catch(() => false)))
    const sent = await Promise.race([hidden, pause(clock, LEAVE_MS, over.signal).then(() => [false])])
    over.abort()
    while (observer.isSending(page) && clock.now() < until && !page.isClosed()) await pause(clock, POLL_INTERVAL_MS)
    if (sent.every(Boolean) && !observer.isSending(page)) observer.hasSent(page)
  }
  const follow = (page: Left): void => {
    const close = page.close.bind(page)
    page.close = async (options) => {
      await leave(page)
      await close(options)
    }
  }
  const contexts = new WeakSet<ContextToLeave<Left>>()
  return (context) => {
    if (contexts.has(context)) return
    contexts.add(context)
    for (const page of context.pages()) follow(page)
    context.on('page', follow)
    const close = context.close.bind(context)
    context.close = async (options) => {
      await Promise.all(context.pages().map(leave))
      await close(options)
    }
  }
}

/**
 * Runs in the page. Hides the document, as closing its tab does, and flushes each SDK of Sentry. Others, such as that of
 * OpenTelemetry, send when the document is hidden.
 * @returns whether the SDKs have sent everything in time
 */
async function hideDocument(flushMs: number): Promise<boolean> {
  const property = (of: unknown, name: string): unknown =>
    typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined
  const clientOf = (of: unknown): unknown => {
    const get = property(of, 'getClient')
    return typeof get === 'function' ? Reflect.apply(get, of, []) : undefined
  }
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  Object.defineProperty(document, 'hidden', { value: true, configurable: true })
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  // The state of each version of the SDK; version 7 has a hub.
  const carrier: unknown = Reflect.get(globalThis, '__SENTRY__')
  const states = typeof carrier === 'object' && carrier !== null ? Object.values(carrier) : []
  const clients = new Set(
    states.flatMap((state: unknown) =>
      [state, property(state, 'defaultCurrentScope'), property(state, 'stack')].map(clientOf),
    ),
  )
  const flushed = [...clients].map(async (client) => {
    const flush = property(client, 'flush')
    return typeof flush === 'function' ? ((await Reflect.apply(flush, client, [flushMs])) as unknown) === true : true
  })
  // An export of another SDK may begin in a later task.
  await new Promise((resolve) => setTimeout(resolve, 0))
  return (await Promise.all(flushed)).every(Boolean)
}
