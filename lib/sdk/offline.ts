import { allowsItem, CONSENTS, type Consent } from '../protocol/consent'
import { FORGET_COOKIE, FORGET_MAX_AGE_S, KEPT_HEADER, RECEIPT_HEADER, receiptAt } from '../protocol/request'
import type { Envelope, EnvelopeItem, Transport } from './transport'

/** Envelopes that wait in a browser; those beyond count as lost. */
export const MOST_UNSENT = 30
/** Characters of one of them, and of all: the app has the rest of the storage. */
export const MOST_UNSENT_LENGTH = 256 * 1024
export const MOST_UNSENT_TOTAL = 1024 * 1024
/** Between attempts while the browser is online: the first wait, which doubles, and the longest. */
const RETRY_MS = [5_000, 300_000] as const

const PREFIX = 'waystation.unsent.'

/** The parts of a window that the queue needs. Reading `localStorage` throws where storage is blocked. */
export interface OfflineWindow {
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
  readonly document: { cookie: string }
  readonly addEventListener: (name: 'online' | 'pagehide' | 'pageshow', listener: () => void) => void
  readonly setTimeout: (work: () => void, ms: number) => unknown
}

export interface OfflineOptions {
  readonly page: OfflineWindow
  /** The path of the tunnel. */
  readonly tunnel: string
  readonly fetch: typeof fetch
  readonly consent: () => Consent
  /** Epoch ms. */
  readonly now: () => number
  readonly newUuid: () => string
}

/** An envelope without an answer, as it is stored. */
interface Unsent {
  readonly receipt: string
  /** Epoch ms. */
  readonly at: number
  /** Those of its first post: the page and what else the tunnel reads. */
  readonly headers: Readonly<Record<string, string>>
  /** Of its items. */
  readonly types: readonly string[]
  /** The consent with which it was made. */
  readonly consent: Consent
  readonly body: string
}

/**
 * Keeps envelopes that could not be sent in this browser, also when the page is left before their answer, and sends them at
 * the next start, when the browser is online again, and after a while. An envelope keeps its receipt, so the collector
 * stores it once, however often it is sent. A loss is recorded when nothing keeps the envelope, and not before.
 * @param make makes the transport of the SDK with this `fetch`
 */
export function offlineTransport(make: (fetchLike: typeof fetch) => Transport, options: OfflineOptions): Transport {
  const { page, tunnel, consent, now, newUuid } = options
  const queue = openQueue(page, now)
  const open = new Map<string, Unsent>()
  let types: readonly string[] = []
  let [isSending, isWaiting, isLeft] = [false, false, false]
  let waitMs: number = RETRY_MS[0]

  const post = ({ headers, body, receipt }: Unsent, init: RequestInit): Promise<Response> =>
    options.fetch(tunnel, { ...init, body, headers: { ...headers, [RECEIPT_HEADER]: receipt, ...init.headers } })

  const postLate = (unsent: Unsent): Promise<Response> =>
    post(unsent, { method: 'POST', headers: { [KEPT_HEADER]: String(Math.max(0, now() - unsent.at)) } })

  function retryLater(): void {
    if (isWaiting) return
    isWaiting = true
    page.setTimeout(() => {
      isWaiting = false
      void sendStored()
    }, waitMs)
    waitMs = Math.min(2 * waitMs, RETRY_MS[1])
  }

  /** With `errors`, an error of another consent may contain what is no longer allowed. */
  const isAllowed = (unsent: Unsent): boolean =>
    (consent() !== 'errors' || unsent.consent === 'errors') && unsent.types.every((type) => allowsItem(consent(), type))

  function emptyQueue(): void {
    if (consent() === 'off' || queue.isForgotten()) queue.clear()
  }

  async function sendStored(): Promise<void> {
    if (isSending) return
    isSending = true
    emptyQueue()
    let areFinal = true
    try {
      for (const unsent of queue.all()) {
        if (isAllowed(unsent) && !isFinal(await postLate(unsent))) areFinal = false
        else queue.remove(unsent.receipt)
      }
    } catch {
      // No connection: the rest waits on.
      areFinal = false
    } finally {
      isSending = false
    }
    if (areFinal) waitMs = RETRY_MS[0]
    else retryLater()
  }

  /** The SDK's own `fetch`. It rejects, which the SDK counts as a loss, only when the queue does not take the envelope. */
  async function send(url: string, init: RequestInit): Promise<Response> {
    const { body, headers } = init
    // Without a receipt, the tunnel reports a page that is left before the answer.
    if (typeof body !== 'string' || !queue.mayTake(body)) return options.fetch(url, init)
    const receipt = receiptAt(now(), newUuid())
    const given = { ...(headers as Record<string, string>) }
    const unsent: Unsent = { receipt, at: now(), headers: given, types, consent: consent(), body }
    open.set(receipt, unsent)
    if (isLeft) queue.add(unsent)
    try {
      const answer = await post(unsent, init)
      if (isFinal(answer)) {
        queue.remove(receipt)
        return answer
      }
      if (!queue.add(unsent)) throw new TypeError(`the tunnel answered ${answer.status}`)
    } catch (error) {
      if (!queue.add(unsent)) throw error
    } finally {
      open.delete(receipt)
    }
    retryLater()
    return new Response(null, { status: 202 })
  }

  const inner = make(((url, init) => send(String(url), init ?? {})) as typeof fetch)
  page.addEventListener('online', () => void sendStored())
  page.addEventListener('pagehide', () => {
    // A page that is left may never read the answers of its last posts, and the SDK sends more of them after this event.
    isLeft = true
    for (const unsent of open.values()) queue.add(unsent)
    emptyQueue()
  })
  page.addEventListener('pageshow', () => {
    isLeft = false
  })
  emptyQueue()
  if (queue.all().length > 0) retryLater()
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      // The SDK calls `fetch` before `send` returns, or never; it passes only the body, not the envelope.
      types = typesOf(envelope)
      return inner.send(envelope)
    },
  }
}

const typesOf = (envelope: Envelope): readonly string[] =>
  (envelope[1] as readonly EnvelopeItem[]).map(([{ type }]) => type)

/**
 * Whether an answer is that of a tunnel which took or refused the envelope. 503: it could not keep it. 408: the connection was
 * too slow. 404 and pages to which it leads: the tunnel is elsewhere now.
 */
const isFinal = ({ status, redirected }: Response): boolean =>
  status < 500 && status !== 404 && status !== 408 && !redirected

interface Queue {
  /** Oldest first, without those that are too old. */
  readonly all: () => readonly Unsent[]
  /** Whether it takes an envelope of this length, as long as it is not full; false where storage is blocked. */
  readonly mayTake: (body: string) => boolean
  /** @returns false when the queue is full or blocked */
  readonly add: (unsent: Unsent) => boolean
  readonly remove: (receipt: string) => void
  readonly clear: () => void
  /** Whether the visitor deleted what was recorded since this was last called. */
  readonly isForgotten: () => boolean
}

/** One entry per envelope: two tabs cannot overwrite what the other one adds. */
function openQueue(page: OfflineWindow, now: () => number): Queue {
  const keys = (): readonly string[] => {
    const { localStorage } = page
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '')
    return names.filter((name) => name.startsWith(PREFIX)).sort()
  }
  const lengthOf = (key: string): number => page.localStorage.getItem(key)?.length ?? 0
  const whereAllowed = <Value>(work: () => Value, blocked: Value): Value => {
    try {
      return work()
    } catch {
      // Storage is blocked or full; envelopes are then sent as without a queue.
      return blocked
    }
  }
  const remove = (receipt: string): void =>
    whereAllowed(() => page.localStorage.removeItem(`${PREFIX}${receipt}`), undefined)
  return {
    all: () =>
      whereAllowed(
        () =>
          keys().flatMap((key) => {
            const unsent = parseUnsent(page.localStorage.getItem(key))
            if (unsent !== null && now() - unsent.at < FORGET_MAX_AGE_S * 1000) return unsent
            page.localStorage.removeItem(key)
            return []
          }),
        [],
      ),
    mayTake: (body) => body.length <= MOST_UNSENT_LENGTH && whereAllowed(() => page.localStorage.length >= 0, false),
    add: (unsent) =>
      whereAllowed(() => {
        const others = keys().filter((key) => key !== `${PREFIX}${unsent.receipt}`)
        const length = others.reduce((sum, key) => sum + lengthOf(key), unsent.body.length)
        if (others.length >= MOST_UNSENT || length > MOST_UNSENT_TOTAL) return false
        page.localStorage.setItem(`${PREFIX}${unsent.receipt}`, JSON.stringify(unsent))
        return true
      }, false),
    remove,
    clear: () => {
      for (const key of whereAllowed(keys, [])) remove(key.slice(PREFIX.length))
    },
    isForgotten: () =>
      whereAllowed(() => {
        if (!page.document.cookie.includes(`${FORGET_COOKIE}=1`)) return false
        page.document.cookie = `${FORGET_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax`
        return true
      }, false),
  }
}

/** @returns `null` for an entry of another version, or one that somebody changed */
function parseUnsent(text: string | null): Unsent | null {
  try {
    const { receipt, at, headers, types, consent, body } = JSON.parse(text ?? '') as Record<string, unknown>
    const level = CONSENTS.find((one) => one === consent)
    if (typeof receipt !== 'string' || typeof at !== 'number' || typeof body !== 'string') return null
    if (!Array.isArray(types) || typeof headers !== 'object' || headers === null || level === undefined) return null
    return { receipt, at, headers: headers as Record<string, string>, types: types.map(String), consent: level, body }
  } catch {
    return null
  }
}
