import type { BrowserContext, Frame, Page, Request } from '@playwright/test'
import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../../contract/values'
import type { SeenRequest } from '../../verdict/rules/rule'

/** So many requests of one test are kept; later ones are not, and rules then judge from those. */
const SEEN_REQUESTS = 5_000

export interface SeenFallback {
  readonly pageUrl: string
  readonly text: string
}

export interface WatchedBrowser {
  /** In the order in which they began. Headers are those that the page set: never its cookies. */
  readonly requests: () => readonly SeenRequest[]
  /** Those that are under way: not answered to their end, nor given up with their page. */
  readonly open: () => readonly SeenRequest[]
  readonly fallbacks: () => readonly SeenFallback[]
  /** Notes the error fallbacks that pages show just now. */
  readonly look: () => Promise<void>
  /** Closes the pages, one by one: what they send while they close would be cut off with their context. */
  readonly closePages: () => Promise<void>
  readonly watch: (context: BrowserContext) => void
}

/** Sees what the browser asks for, by itself: without a header, a route or a script in the page that it would not have alone. */
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
      document: page === null ? null : makesPage ? loads.begins(page) : loads.current(page),
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
  /** The browser does not always say how requests end whose document is gone. */
  const letGo = (page: Page, isGone: (document: string | null) => boolean = () => true): void => {
    for (const [request, of] of open)
      if (of === page && isGone(seen.get(request)?.document ?? null)) open.delete(request)
  }
  const follow = (page: Page): void => {
    page.on('framenavigated', (frame) => {
      if (frame.parentFrame() !== null) return
      loads.arrived(page)
      const current = loads.current(page)
      letGo(page, (document) => document !== current)
    })
    page.on('close', () => letGo(page))
    page.on('crash', () => letGo(page))
  }
  const look = async (page: Page): Promise<void> => {
    for (const text of [CLIENT_FALLBACK, SERVER_FALLBACK]) {
      // A page that is gone or on its way elsewhere shows nothing.
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
    look: async () => {
      await Promise.all([...contexts].flatMap((context) => context.pages().map(look)))
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

/** `null` where no frame made it, such as a service worker, or where it is gone. */
function frameOf(request: Request): Frame | null {
  try {
    return request.serviceWorker() === null ? request.frame() : null
  } catch {
    // Playwright throws where the page of a navigation does not exist yet.
    return null
  }
}

/** All that the page says, for what stands beside the sentence, such as a digest. */
const textAround = async (page: Page, text: string): Promise<string> => {
  const texts = await page
    .locator('body')
    .allInnerTexts()
    .catch(() => [text])
  return texts.join('\n').slice(0, 2_000)
}

/** A frame as Playwright tells of it. */
export interface AFrame {
  readonly url: () => string
  /** `null` of the page itself. */
  readonly parentFrame: () => AFrame | null
}

/**
 * Does a frame that makes a request show another origin than its page? What loads a frame is asked for by whoever embeds
 * it; and a frame without an address of its own, such as `about:blank`, belongs to whoever embeds it.
 */
export function isEmbedded(frame: AFrame, loadsFrame: boolean): boolean {
  let asks = loadsFrame ? (frame.parentFrame() ?? frame) : frame
  for (let parent = asks.parentFrame(); parent !== null && originOf(asks) === null; parent = asks.parentFrame())
    asks = parent
  let page = frame
  for (let parent = page.parentFrame(); parent !== null; parent = page.parentFrame()) page = parent
  return asks !== page && originOf(asks) !== originOf(page)
}

/** `null` where its address has none. */
function originOf(frame: AFrame): string | null {
  const url = frame.url()
  if (!/^(?:blob:)?https?:/.test(url)) return null
  return URL.canParse(url) ? new URL(url).origin : null
}

/** Names page loads: a tab has one after the other, and its old one still asks for things while the new one is fetched. */
export interface PageLoads<Page extends object> {
  /** A request that makes the page's next document. @returns that document's name */
  readonly begins: (page: Page) => string
  /** The page is somewhere else: in its next document, if one was begun. */
  readonly arrived: (page: Page) => void
  /** The document that is there. */
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
    // A redirect is another request for the same document.
    begins: (page) => {
      const named = next.get(page) ?? name()
      next.set(page, named)
      return named
    },
    arrived: (page) => {
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
