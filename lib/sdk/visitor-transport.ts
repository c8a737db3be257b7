import type { Consent, ConsentPolicy } from '../protocol/consent'
import { consentingTransport, type PageConsent, pageConsent } from './consent'
import { offlineTransport } from './offline'
import type { Transport } from './transport'
import { newUuid } from './uuid'

export type { Consent, ConsentPolicy } from '../protocol/consent'

/** Everything, and errors only for browsers with Global Privacy Control or Do Not Track. */
const DEFAULT_POLICY: ConsentPolicy = { byDefault: 'all', bySignal: 'errors' }

export interface VisitorTransportOptions {
  /** The consent of visitors who have not chosen; the default is above. The tunnel should have the same one. */
  readonly consent?: ConsentPolicy
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
 * The transport of a page: it holds to the consent of its visitor, and keeps what could not be sent.
 *
 *     Sentry.init({ tunnel: '/tunnel', transport: visitorTransport(Sentry.makeFetchTransport) })
 *
 * @param make the SDK's `makeFetchTransport`, or a transport with the same two parameters
 */
export function visitorTransport<Options extends { readonly url: string }, Made extends TransportLike>(
  make: (options: Options, fetchLike?: typeof fetch) => Made,
  { consent = DEFAULT_POLICY }: VisitorTransportOptions = {},
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
    return { ...(made ?? {}), ...consentingTransport(kept, currentConsent) } as TransportLike as Made
  }
}
