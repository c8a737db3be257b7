/**
 * Also determines the kind of body. `envelope`: posted by an SDK. `tunnel`: forwarded by a tunnel. `stream`: a second
 * copy (Spotlight). `store`: a bare event of an old SDK. `security` and `nel`: a report of a browser. `minidump` and
 * `unreal`: a crash report. `cron`: a check-in of a job. `attachments`: files of an event. `otlp_…`: an export request of
 * OpenTelemetry, as JSON or protobuf.
 */
export const ENDPOINTS = [
  'envelope',
  'tunnel',
  'stream',
  'store',
  'security',
  'minidump',
  'unreal',
  'nel',
  'cron',
  'attachments',
  'otlp_traces',
  'otlp_logs',
  'otlp_metrics',
] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** True for the endpoints of OpenTelemetry, whose bodies are no envelopes. */
export const isOtlp = (endpoint: Endpoint): boolean => endpoint.startsWith('otlp_')

/** True for the endpoints whose bodies are envelopes. */
export const isEnvelope = (endpoint: Endpoint): boolean =>
  endpoint === 'envelope' || endpoint === 'tunnel' || endpoint === 'stream'

const DIRECT = ['minidump', 'unreal', 'nel', 'cron', 'attachments'] as const
/** An endpoint to which programs post a single thing that is no envelope, at an address that says more about it. */
export type DirectEndpoint = (typeof DIRECT)[number]

export const isDirect = (endpoint: Endpoint): endpoint is DirectEndpoint =>
  (DIRECT as readonly Endpoint[]).includes(endpoint)

/** The cookie that ties the telemetry of a browser and of its server to a test or a person. */
export const STAMP_COOKIE = 'waystation-stamp'
/** The header that carries the stamp between programs; a tunnel sets it from the cookie. */
export const STAMP_HEADER = 'x-waystation-stamp'

/** The attribute of OpenTelemetry resources, spans and log records that carries the stamp; also its key in baggage. */
export const STAMP_ATTRIBUTE = 'waystation.stamp'

export const STAMP_FORMAT =
  'a stamp of 1 to 64 letters, digits and _ - . / : @ that begins with a letter, a digit, _ or -'

/** Returns true for a valid stamp. The sender chooses it; markup and control characters are invalid. */
export const isStamp = (text: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9_\-./:@]{0,63}$/.test(text)

/** Returns the note for a sender whose stamp is invalid: one line of printable ASCII, for a header. */
export const stampNote = (given: string): string =>
  `X-Waystation-Stamp ignored: ${given.slice(0, 64).replace(/[^\x20-\x7e]/g, '?')} is not ${STAMP_FORMAT}`

const COOKIE = new RegExp(`(?:^|;)\\s*${STAMP_COOKIE}=([^;]*)`)

/** Perhaps invalid. The cookie wins even then, so that a page cannot override it with a header. */
export const requestStamp = (cookie: string | null, header: string | null): string | null =>
  COOKIE.exec(cookie ?? '')?.[1]?.trim() ?? header

/**
 * A receipt that sorts by time (UUID version 7, RFC 9562 section 5.7): random receipts would each write a separate page
 * of the database index. @param now ms since the epoch. @param random a random UUID.
 */
export function receiptAt(now: number, random: string): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(15)}`
}

/** The receipt of a body, from a tunnel or from a page that may send the same body again. */
export const RECEIPT_HEADER = 'x-waystation-receipt'
const RECEIPT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const isReceipt = (text: string): boolean => RECEIPT.test(text)

/** For how many ms a body waited in a page or a lifeboat. Its sender no longer reads the answer. */
export const KEPT_HEADER = 'x-waystation-kept'

/** Set when a visitor deleted what was recorded. Pages then empty the queue of what they could not send, and remove it. */
export const FORGET_COOKIE = 'waystation-forget'
/** As long as an envelope waits in a page at most, in seconds. */
export const FORGET_MAX_AGE_S = 7 * 24 * 3600

/** Set to `1` by a tunnel that stored the envelope when its sender was gone already, and had seen no answer. */
export const UNSEEN_HEADER = 'x-waystation-unseen'

/** A random id per page load. SDKs keep rate limits per page load, so back-off can be judged only with this header. */
export const PAGE_HEADER = 'x-waystation-page'

/** Set by the tunnel of Waystation's own app, never by a page: `1` for the app's server and its own pages. */
export const OWN_HEADER = 'x-waystation-own'

/** Marks telemetry of the lab. It leaves this machine only when the lab's relay switch is on. */
export const LAB_HEADER = 'x-waystation-lab'

/** The SHA-256 of the visitor's cookie, set by a tunnel, never by a page. */
export const VISITOR_HEADER = 'x-waystation-visitor'

/** True for the SHA-256 of a visitor's id as base64url. */
export const isVisitorHash = (text: string): boolean => /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text)

/**
 * True when a host name is certainly this machine: a literal loopback address, or the reserved name `localhost`
 * or one below it (RFC 6761, section 6.3). The owner of any other name can make it resolve here (DNS rebinding).
 */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[|\]$/g, '')
  return host === 'localhost' || BELOW_LOCALHOST.test(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

const BELOW_LOCALHOST = /^(?:[a-z0-9_-]+\.)+localhost$/

/** Returns the host of a `Host` header: `localhost:3000` → `localhost`, `[::1]:80` → `::1`. */
export function hostName(hostHeader: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(hostHeader)
  if (bracketed?.[1] !== undefined) return bracketed[1].toLowerCase()
  return hostHeader.replace(/:\d*$/, '').toLowerCase()
}

/** Tokens of browsers; others also name those that follow, so the order matters. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d{1,4})/],
  ['Opera', /\bOPR\/(\d{1,4})/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d{1,4})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ['Chrome', /\b(?:Headless)?Chrome\/(\d{1,4})/],
  ['Chrome', /\bCriOS\/(\d{1,4})/],
  ['Safari', /\bVersion\/(\d{1,4})[.\d]{0,20} (?:Mobile\/\S{1,20} )?Safari\//],
] as const

/** The name and main version of a browser, as `Chrome 142`; `null` for other programs. @param userAgent of a request */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null || !userAgent.startsWith('Mozilla/')) return null
  for (const [name, token] of BROWSERS) {
    const version = token.exec(userAgent)?.[1]
    if (version !== undefined) return `${name} ${version}`
  }
  return null
}
