import type { BrowserContext, Frame, Page, Request } from '@playwright/test'
import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../../contract/values'
import type { SeenRequest } from '../../verdict/rules/rule'

/** Maximum number of requests kept per test; later ones are ignored. */
export const SEEN_REQUESTS = 5_000

interface SeenFallback {
  readonly pageUrl: string
  readonly text: string
}

export interface WatchedBrowser {
  /** In the order in which they began. Contains the headers that the page set, never cookies. */
  readonly requests: () => readonly SeenRequest[]
  /** Requests that have not ended, and whose page is still open. */
  readonly open: () => readonly SeenRequest[]
  readonly fallbacks: () => readonly SeenFallback[]
  /** Records the error fallbacks that pages show now. */
  readonly readFallbacks: () => Promise<void>
  /** Closes each page of the contexts. */
  readonly closePages: () => Promise<void>
  readonly watch: (context: BrowserContext) => void
}

/** Observes browser requests passively: adds no headers, routes or scripts. */
export function watchBrowser(now: () => number): WatchedBrowser {
  const seen = new Map<Request, SeenRequest>()
  const open = new Map<Request, Page | null>()
  const fallbacks = new Map<string, SeenFallback>()
  const contexts = new Set<BrowserContext>()
  const loads = createPageLoads<Page>()

  const began = (request: Request): void => {
    if (seen.size >= SEEN_REQUESTS) return
    const url = request.url()
    const frame = frameOf(request)
    const page = frame?.page() ?? null
    const makesPage = request.isNavigationRequest() && frame !== null && frame.parentFrame() === null
    open.set(request, page)
    seen.set(request, {
      method: request.method(),
      url,
      pageUrl: page === null || makesPage ? url : page.url(),
      isEmbedded: frame !== null && isEmbedded(frame, request.isNavigationRequest()),
      document: page === null ? null : makesPage ? loads.start(page) : loads.current(page),
      resourceType: request.resourceType(),
      headers: request.headers(),
      startedAt: now(),
      endedAt: null,
      answer: null,
    })
  }
  const ended = (request: Request): void => {
    open.delete(request)
    const known = seen.get(request)
    if (known !== undefined) seen.set(request, { ...known, endedAt: now() })
  }
  /** Removes requests of a closed document: the browser does not always report their end. */
  const forgetRequests = (page: Page, isGone: (document: string | null) => boolean = () => true): void => {
    for (const [request, of] of open)
      if (of === page && isGone(seen.get(request)?.document ?? null)) open.delete(request)
  }
  const follow = (page: Page): void => {
    page.on('framenavigated', (frame) => {
      if (frame.parentFrame() !== null) return
      loads.commit(page)
      const current = loads.current(page)
      forgetRequests(page, (document) => document !== current)
    })
    page.on('close', () => forgetRequests(page))
    page.on('crash', () => forgetRequests(page))
  }
  const readPage = async (page: Page): Promise<void> => {
    for (const text of [CLIENT_FALLBACK, SERVER_FALLBACK]) {
      // A closed or navigating page shows nothing.
      const count = await page
        .getByText(text)
        .count()
        .catch(() => 0)
      if (count > 0) fallbacks.set(`${page.url()} ${text}`, { pageUrl: page.url(), text: await textAround(page, text) })
    }
  }
  return {
    requests: () => [...seen.values()],
    open: () => [...open.keys()].flatMap((request) => seen.get(request) ?? []),
    fallbacks: () => [...fallbacks.values()],
    readFallbacks: async () => {
      await Promise.all([...contexts].flatMap((context) => context.pages().map(readPage)))
    },
    closePages: async () => {
      await Promise.all([...contexts].flatMap((context) => context.pages().map((page) => page.close())))
    },
    watch: (context) => {
      if (contexts.has(context)) return
      contexts.add(context)
      for (const page of context.pages()) follow(page)
      context.on('page', follow)
      context.on('request', began)
      context.on('requestfinished', ended)
      context.on('requestfailed', ended)
      context.on('response', (response) => {
        const known = seen.get(response.request())
        if (known === undefined) return
        const answer = {
          status: response.status(),
          headers: response.headers(),
          fromCache: response.fromServiceWorker(),
        }
        seen.set(response.request(), { ...known, answer })
      })
    },
  }
}

/** `null` for a request without a frame, such as a service worker's, or with a closed one. */
function frameOf(request: Request): Frame | null {
  try {
    return request.serviceWorker() === null ? request.frame() : null
  } catch {
    // Playwright throws where the page of a navigation does not exist yet.
    return null
  }
}

/** The text of the page, which may contain more than the fallback, such as a digest. */
const textAround = async (page: Page, text: string): Promise<string> => {
  const texts = await page
    .locator('body')
    .allInnerTexts()
    .catch(() => [text])
  return texts.join('\n').slice(0, 2_000)
}

/** The used part of Playwright's `Frame`. */
export interface FrameLike {
  readonly url: () => string
  /** `null` for the main frame. */
  readonly parentFrame: () => FrameLike | null
}

/**
 * Was a request made by a frame of another origin than the page? The request that loads a frame belongs to its parent, and
 * so does a frame without an origin, such as `about:blank`.
 */
export function isEmbedded(frame: FrameLike, loadsFrame: boolean): boolean {
  let asks = loadsFrame ? (frame.parentFrame() ?? frame) : frame
  for (let parent = asks.parentFrame(); parent !== null && originOf(asks) === null; parent = asks.parentFrame())
    asks = parent
  let page = frame
  for (let parent = page.parentFrame(); parent !== null; parent = page.parentFrame()) page = parent
  return asks !== page && originOf(asks) !== originOf(page)
}

/** `null` for an address without an origin. */
function originOf(frame: FrameLike): string | null {
  const url = frame.url()
  if (!/^(?:blob:)?https?:/.test(url)) return null
  return URL.canParse(url) ? new URL(url).origin : null
}

/** Names page loads. The old document of a tab may still send requests while the next one is fetched. */
export interface PageLoads<Page extends object> {
  /** A request for the page's next document. @returns the name of that document */
  readonly start: (page: Page) => string
  /** The page navigated to its next document, if one was started. */
  readonly commit: (page: Page) => void
  readonly current: (page: Page) => string
}

export function createPageLoads<Page extends object>(): PageLoads<Page> {
  const now = new WeakMap<Page, string>()
  const next = new WeakMap<Page, string>()
  let count = 0
  const name = (): string => {
    count += 1
    return `load-${count}`
  }
  return {
    // A redirect is a further request for the same document.
    start: (page) => {
      const named = next.get(page) ?? name()
      next.set(page, named)
      return named
    },
    commit: (page) => {
      const begun = next.get(page)
      if (begun === undefined) return
      now.set(page, begun)
      next.delete(page)
    },
    current: (page) => {
      const known = now.get(page) ?? name()
      now.set(page, known)
      return known
    },
  }
}
