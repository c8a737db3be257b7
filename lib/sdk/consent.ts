import {
  allowsItem,
  type Consent,
  type ConsentPolicy,
  chosenConsent,
  consentCookie,
  consentOf,
} from '../protocol/consent'
import type { Envelope, EnvelopeItem, Transport } from './transport'

/** The parts of a window that know what its visitor wants. */
export interface ConsentWindow {
  readonly document: { cookie: string }
  readonly navigator: object
  readonly location: { readonly protocol: string }
}

export interface PageConsent {
  /** The consent that holds at this moment: another tab, or the page for visitors, may have changed it. */
  readonly current: () => Consent
  /** Remembers a choice for all pages of this host. Without cookies it holds until the page is left. */
  readonly choose: (consent: Consent) => void
}

export function pageConsent(page: ConsentWindow, policy: ConsentPolicy): PageConsent {
  let chosenHere: Consent | null = null
  return {
    current: () => consentOf(chosenConsent(cookiesOf(page)) ?? chosenHere, signals(page.navigator), policy),
    choose: (consent) => {
      chosenHere = consent
      try {
        page.document.cookie = consentCookie(consent, page.location.protocol === 'https:')
      } catch {
        // A sandboxed frame may not have cookies: the choice then holds for this page alone.
      }
    },
  }
}

/** `null` where the page may not read cookies. */
function cookiesOf(page: ConsentWindow): string | null {
  try {
    return page.document.cookie
  } catch {
    return null
  }
}

/** Global Privacy Control and Do Not Track, as scripts see them. */
const signals = (navigator: object): boolean =>
  ('globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true) ||
  ('doNotTrack' in navigator && navigator.doNotTrack === '1')

/**
 * Sends only what the visitor allows at that moment. Items that it leaves out are not counted as lost: that is the visitor's choice,
 * and with `off` not even a count is sent.
 */
export function consentingTransport(inner: Transport, current: () => Consent): Transport {
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      const allowed = allowedPart(envelope, current())
      return allowed === null ? Promise.resolve({}) : inner.send(allowed)
    },
  }
}

/** The part of an envelope that may be sent; `null` for nothing. */
export function allowedPart(envelope: Envelope, consent: Consent): Envelope | null {
  if (consent === 'all' || consent === 'kept') return envelope
  const items = (envelope[1] as readonly EnvelopeItem[]).filter(([{ type }]) => allowsItem(consent, type))
  if (items.length === 0) return null
  return [envelope[0], items.map(withLessData)] as Envelope
}

interface SentEvent {
  readonly exception?: { readonly values?: readonly ThrownError[] }
  readonly request?: { readonly url?: string; readonly headers?: Readonly<Record<string, string>> }
  readonly breadcrumbs?: readonly Breadcrumb[]
}

interface ThrownError {
  readonly stacktrace?: { readonly frames?: readonly { readonly filename?: string; readonly abs_path?: string }[] }
}

interface Breadcrumb {
  readonly data?: Readonly<Record<string, unknown>>
}

/** An error without queries of addresses, and of its headers with the user agent alone. */
function withLessData(item: EnvelopeItem): EnvelopeItem {
  if (item[0].type !== 'event') return item
  const event = item[1] as SentEvent
  const { request, breadcrumbs, exception } = event
  const agent = request?.headers?.['User-Agent']
  const less = {
    ...event,
    user: undefined,
    ...(request !== undefined && {
      request: { url: withoutQuery(request.url), ...(agent !== undefined && { headers: { 'User-Agent': agent } }) },
    }),
    ...(exception?.values !== undefined && {
      exception: { ...exception, values: exception.values.map(withoutQueries) },
    }),
    ...(breadcrumbs !== undefined && { breadcrumbs: breadcrumbs.map(stepWithLessData) }),
  }
  return [item[0], less] as EnvelopeItem
}

/** The frames of inline scripts name the page with its query. */
const withoutQueries = (thrown: ThrownError): ThrownError =>
  thrown.stacktrace?.frames === undefined
    ? thrown
    : {
        ...thrown,
        stacktrace: {
          ...thrown.stacktrace,
          frames: thrown.stacktrace.frames.map((frame) => ({
            ...frame,
            ...(frame.filename !== undefined && { filename: withoutQuery(frame.filename) }),
            ...(frame.abs_path !== undefined && { abs_path: withoutQuery(frame.abs_path) }),
          })),
        },
      }

const ADDRESSES = ['url', 'from', 'to'] as const

const stepWithLessData = (step: Breadcrumb): Breadcrumb =>
  step.data === undefined
    ? step
    : {
        ...step,
        data: {
          ...step.data,
          ...Object.fromEntries(
            ADDRESSES.filter((name) => name in (step.data ?? {})).map((name) => [
              name,
              withoutQuery(step.data?.[name]),
            ]),
          ),
        },
      }

const withoutQuery = <Address>(address: Address): Address | string =>
  typeof address === 'string' ? address.replace(/[?#].*$/s, '') : address
