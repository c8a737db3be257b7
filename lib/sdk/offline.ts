import { allowsItem, type Consent } from '../protocol/consent'
import { KEPT_HEADER, RECEIPT_HEADER, receiptAt } from '../protocol/request'
import type { Envelope, EnvelopeItem, Transport } from './transport'

/** Envelopes that wait in a browser; those beyond count as lost. */
export const MOST_UNSENT = 30
/** Characters of one of them. */
export const MOST_UNSENT_LENGTH = 256 * 1024
/** Between attempts while the browser is online: the first wait, which doubles, and the longest. */
const RETRY_MS = [5_000, 300_000] as const

const PREFIX = 'waystation.unsent.'

/** The parts of a window that the queue needs. Reading `localStorage` throws where storage is blocked. */
export interface OfflineWindow {
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
  readonly addEventListener: (name: 'online' | 'pagehide', listener: () => void) => void
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
  const queue = openQueue(page)
  const open = new Map<string, Unsent>()
  let types: readonly string[] = []
  let [isSending, waitMs]: [boolean, number] = [false, RETRY_MS[0]]

  const post = ({ headers, body, receipt }: Unsent, init: RequestInit): Promise<Response> =>
    options.fetch(tunnel, { ...init, body, headers: { ...headers, [RECEIPT_HEADER]: receipt, ...init.headers } })

  const postLate = (unsent: Unsent): Promise<Response> =>
    post(unsent, { method: 'POST', headers: { [KEPT_HEADER]: String(Math.max(0, now() - unsent.at)) } })

  const retryLater = (): void => {
    page.setTimeout(() => void sendStored(), waitMs)
    waitMs = Math.min(2 * waitMs, RETRY_MS[1])
  }

  async function sendStored(): Promise<void> {
    if (isSending) return
    isSending = true
    try {
      for (const unsent of queue.all()) {
        const isAllowed = unsent.types.every((type) => allowsItem(consent(), type))
        if (isAllowed && !isFinal(await postLate(unsent))) return retryLater()
        queue.remove(unsent.receipt)
      }
      waitMs = RETRY_MS[0]
    } catch {
      // No connection: the rest waits on.
      retryLater()
    } finally {
      isSending = false
    }
  }

  /** The SDK's own `fetch`. It rejects, which the SDK counts as a loss, only when the queue does not take the envelope. */
  async function send(url: string, init: RequestInit): Promise<Response> {
    const { body, headers } = init
    if (typeof body !== 'string') return options.fetch(url, init)
    const receipt = receiptAt(now(), newUuid())
    const unsent: Unsent = { receipt, at: now(), headers: { ...(headers as Record<string, string>) }, types, body }
    open.set(receipt, unsent)
    try {
      const answer = await post(unsent, init)
      if (isFinal(answer) || !queue.add(unsent)) {
        queue.remove(receipt)
        return answer
      }
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
    // A page that is left may never read the answers of its last posts.
    for (const unsent of open.values()) queue.add(unsent)
    if (consent() === 'off') queue.clear()
  })
  if (consent() === 'off') queue.clear()
  else if (queue.all().length > 0) page.setTimeout(() => void sendStored(), RETRY_MS[0])
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

/** The tunnel answers 503 when it could neither pass an envelope on nor keep it. */
const isFinal = ({ status }: Response): boolean => status < 500

interface Queue {
  /** Oldest first. */
  readonly all: () => readonly Unsent[]
  /** @returns false when the queue is full or blocked, or the envelope is too long */
  readonly add: (unsent: Unsent) => boolean
  readonly remove: (receipt: string) => void
  readonly clear: () => void
}

/** One entry per envelope: two tabs cannot overwrite what the other one adds. */
function openQueue(page: OfflineWindow): Queue {
  const keys = (): readonly string[] => {
    const { localStorage } = page
    const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '')
    return names.filter((name) => name.startsWith(PREFIX)).sort()
  }
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
            if (unsent === null) page.localStorage.removeItem(key)
            return unsent ?? []
          }),
        [],
      ),
    add: (unsent) =>
      whereAllowed(() => {
        const known = keys()
        const key = `${PREFIX}${unsent.receipt}`
        if (unsent.body.length > MOST_UNSENT_LENGTH) return false
        if (!known.includes(key) && known.length >= MOST_UNSENT) return false
        page.localStorage.setItem(key, JSON.stringify(unsent))
        return true
      }, false),
    remove,
    clear: () => {
      for (const key of whereAllowed(keys, [])) remove(key.slice(PREFIX.length))
    },
  }
}

/** @returns `null` for an entry of another version, or one that somebody changed */
function parseUnsent(text: string | null): Unsent | null {
  try {
    const { receipt, at, headers, types, body } = JSON.parse(text ?? '') as Record<string, unknown>
    if (typeof receipt !== 'string' || typeof at !== 'number' || typeof body !== 'string') return null
    if (!Array.isArray(types) || typeof headers !== 'object' || headers === null) return null
    return { receipt, at, headers: headers as Record<string, string>, types: types.map(String), body }
  } catch {
    return null
  }
}
