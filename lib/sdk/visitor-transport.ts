import type { Consent, ConsentPolicy } from '../protocol/consent'
import { consentingTransport, type PageConsent, pageConsent } from './consent'
import { offlineTransport } from './offline'
import { type ScrubEnvelope, scrubbingTransport } from './scrubbing'
import type { Envelope, RecordDrop, Transport } from './transport'
import { newUuid } from './uuid'

export type { Consent, ConsentPolicy } from '../protocol/consent'

/** Everything, and errors only for browsers with Global Privacy Control or Do Not Track. */
const DEFAULT_POLICY: ConsentPolicy = { byDefault: 'all', bySignal: 'errors' }

export interface VisitorTransportOptions {
  /** The consent of visitors who have not chosen; the default is above. The tunnel should have the same one. */
  readonly consent?: ConsentPolicy
  /** Whether the page removes secrets from envelopes before it sends or keeps them; default: true. */
  readonly scrub?: boolean
}

/** The options that the SDK passes to its transport, as far as all versions have them. */
export interface TransportOptionsLike {
  readonly url: string
  readonly recordDroppedEvent?: (reason: never, category: never) => void
}

/** The part of a transport of the SDK that does not depend on its version. */
export interface TransportLike {
  readonly send: (envelope: never) => PromiseLike<unknown>
  readonly flush: (timeout?: number) => PromiseLike<boolean>
}

let shared: PageConsent | null = null
let policyInForce = DEFAULT_POLICY

function consentOfPage(): PageConsent {
  shared ??= pageConsent(window, policyInForce)
  return shared
}

/** The consent that holds at this moment. */
export const currentConsent = (): Consent => consentOfPage().current()

/** Remembers what the visitor of this page chose, for all pages of this host and at once. */
export const chooseConsent = (consent: Consent): void => consentOfPage().choose(consent)

/**
 * The transport of a page: it holds to the consent of its visitor, removes secrets, and keeps envelopes that could not be sent.
 *
 *     Sentry.init({ tunnel: '/tunnel', transport: visitorTransport(Sentry.makeFetchTransport) })
 *
 * @param make the SDK's `makeFetchTransport`, or a transport with the same two parameters
 */
export function visitorTransport<Options extends TransportOptionsLike, Made extends TransportLike>(
  make: (options: Options, fetchLike?: typeof fetch) => Made,
  { consent = DEFAULT_POLICY, scrub = true }: VisitorTransportOptions = {},
): (options: Options) => Made {
  policyInForce = consent
  shared = null
  return (options) => {
    let made: Made | null = null
    const makeWith = (fetchLike: typeof fetch): Transport => {
      made = make(options, fetchLike)
      return made as TransportLike as Transport
    }
    const kept = offlineTransport(makeWith, {
      page: window,
      tunnel: options.url,
      fetch: window.fetch.bind(window),
      consent: currentConsent,
      now: Date.now,
      newUuid,
    })
    const consenting = consentingTransport(kept, currentConsent)
    // Envelopes wait for the scrubber: consent is read before and after.
    const transport = scrub ? consentingTransport(scrubbing(consenting, options), currentConsent) : consenting
    return { ...(made ?? {}), ...transport } as TransportLike as Made
  }
}

const scrubbing = (inner: Transport, { recordDroppedEvent = () => undefined }: TransportOptionsLike): Transport =>
  scrubbingTransport(inner, {
    page: window,
    load: loadScrubber,
    recordDrop: recordDroppedEvent as RecordDrop,
    now: Date.now,
  })

/** Bundlers make a file of its own of the scrubber, which pages download when they first send. */
const loadScrubber = async (): Promise<ScrubEnvelope> => {
  const { scrubSdkEnvelope } = await import('../scrub/sdk-envelope')
  return (envelope) => scrubSdkEnvelope(envelope) as Envelope
}
