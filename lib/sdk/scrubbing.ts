import type { Envelope, EnvelopeItem, RecordDrop, Transport } from './transport'

/** Envelopes that wait in memory until the scrubber is loaded; those beyond count as lost. */
export const MOST_UNSCRUBBED = 30

/** Returns a copy without secrets. Throws when the envelope cannot be serialized. */
export type ScrubEnvelope = (envelope: Envelope) => Envelope

/** The parts of a window that waiting envelopes need. */
export interface ScrubbingWindow {
  readonly addEventListener: (name: 'online' | 'pagehide', listener: () => void) => void
  readonly setTimeout: (work: () => void, ms: number) => unknown
}

export interface ScrubbingOptions {
  readonly page: ScrubbingWindow
  /** Imports the scrubber. Is called again after a failure. */
  readonly load: () => Promise<ScrubEnvelope>
  /** The SDK's own count of losses, for its next client report. */
  readonly recordDrop: RecordDrop
  /** Epoch ms. */
  readonly now: () => number
}

type Sent = ReturnType<Transport['send']>

interface Waiting {
  readonly envelope: Envelope
  /** Settles the promise that the SDK got from `send`. */
  readonly settle: (sent: Sent) => void
}

/**
 * Removes secrets from envelopes before `inner` gets them. Loads the scrubber at the first send; until then envelopes wait in
 * memory, and go in their order. After that, `send` calls `inner.send` before it returns, as pages that are left need it.
 * An envelope that cannot be scrubbed is not sent and counts as lost.
 */
export function scrubbingTransport(inner: Transport, { page, load, recordDrop, now }: ScrubbingOptions): Transport {
  const waiting: Waiting[] = []
  let scrub: ScrubEnvelope | null = null
  let loading: Promise<boolean> | null = null

  function lose(envelope: Envelope, reason: Parameters<RecordDrop>[0]): Sent {
    for (const category of categoriesOf(envelope)) recordDrop(reason, category)
    return Promise.resolve({})
  }

  function sendScrubbed(envelope: Envelope, scrubWith: ScrubEnvelope): Sent {
    let scrubbed: Envelope
    try {
      scrubbed = scrubWith(envelope)
    } catch {
      return lose(envelope, 'internal_sdk_error')
    }
    return inner.send(scrubbed)
  }

  /** Never rejects. @returns whether the scrubber is loaded */
  function ensureLoaded(): Promise<boolean> {
    loading ??= load()
      .then(
        (loaded) => {
          scrub = loaded
          // One that throws must not keep the next ones from being sent.
          for (const { envelope, settle } of waiting.splice(0))
            settle(new Promise((resolve) => resolve(sendScrubbed(envelope, loaded))))
          return true
        },
        // No connection, or a new version of the app without this file: the next send tries it again.
        () => false,
      )
      .finally(() => {
        loading = null
      })
    return loading
  }

  async function flushAfterLoading(timeout = 0): Promise<boolean> {
    const began = now()
    const timedOut = new Promise<false>((resolve) => {
      if (timeout > 0) page.setTimeout(() => resolve(false), timeout)
    })
    if (!(await Promise.race([ensureLoaded(), timedOut]))) return false
    // To the SDK, 0 means that there is no limit.
    return inner.flush(timeout > 0 ? Math.max(1, timeout - (now() - began)) : timeout)
  }

  page.addEventListener('online', () => {
    if (waiting.length > 0) void ensureLoaded()
  })
  page.addEventListener('pagehide', () => {
    // The SDK sends its client report after this event.
    for (const { envelope, settle } of waiting.splice(0)) settle(lose(envelope, 'network_error'))
  })
  return {
    flush: (timeout) => (waiting.length === 0 ? inner.flush(timeout) : flushAfterLoading(timeout)),
    send: (envelope) => {
      if (scrub !== null) return sendScrubbed(envelope, scrub)
      if (isClientReport(envelope)) return inner.send(envelope)
      if (waiting.length >= MOST_UNSCRUBBED) return lose(envelope, 'queue_overflow')
      const sent = new Promise<Awaited<Sent>>((resolve) => waiting.push({ envelope, settle: resolve }))
      void ensureLoaded()
      return sent
    },
  }
}

const itemsOf = (envelope: Envelope): readonly EnvelopeItem[] => envelope[1]

/** A report of the SDK's own losses has only numbers and names of the SDK. */
const isClientReport = (envelope: Envelope): boolean =>
  !('trace' in envelope[0]) && itemsOf(envelope).every(([{ type }]) => type === 'client_report')

type Category = Parameters<RecordDrop>[1]

/** Types of items whose data category has another name, as the SDK counts them. */
const CATEGORIES: ReadonlyMap<string, Category> = new Map([
  ['event', 'error'],
  ['sessions', 'session'],
  ['user_report', 'default'],
  ['profile_chunk', 'profile'],
  ['replay_event', 'replay'],
  ['replay_recording', 'replay'],
  ['check_in', 'monitor'],
  ['raw_security', 'security'],
  ['log', 'log_item'],
  ['trace_metric', 'metric'],
])

/** One category for each loss: early releases of SDK 8 ignore a quantity. */
function categoriesOf(envelope: Envelope): readonly Category[] {
  return itemsOf(envelope).flatMap(([header, payload]): readonly Category[] => {
    const { type } = header
    const count = 'item_count' in header && typeof header.item_count === 'number' ? header.item_count : 1
    const category = CATEGORIES.get(type) ?? (type as Category)
    const own = Array.from({ length: count }, () => category)
    // The SDK counts a lost transaction as one transaction, its child spans, and its own span.
    if (type !== 'transaction') return own
    const { spans = [] } = payload as { readonly spans?: readonly object[] }
    return [...own, 'span', ...spans.map((): Category => 'span')]
  })
}
