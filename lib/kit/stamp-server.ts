import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import https from 'node:https'
import { STAMP_HEADER } from '../protocol/request'
import {
  learnStamps,
  type StampedClient,
  type StampedEnvelope,
  type StampedSdk,
  stampedTraces,
} from '../sdk/stamped-traces'

/**
 * Gives what a server sends to the test whose request caused it, by the cookie or the header that a test's requests have:
 * an image's, a navigation's, one of `page.request`. What a test's request caused is posted with its stamp in a header,
 * beside the envelope and never in it.
 *
 *     Sentry.init({ dsn: process.env.SENTRY_DSN, tracesSampleRate: 1 })
 *     stampServer(Sentry)
 *
 * As long as no request has a stamp, nothing that is sent changes, nor how. It needs the transport that an SDK in Node has
 * by itself: another has to use the `httpModule` of its options.
 * @param sdk the app's own, started already
 * @throws TypeError where it was not started
 */
export function stampServer(sdk: ServerSdk): void {
  const client = sdk.getClient()
  if (client === undefined) throw new TypeError(NOT_STARTED)
  const transport = client.getTransport()
  const dsn = client.getDsn()
  // Nothing is sent without a DSN.
  if (transport === undefined || dsn === undefined) return

  const traces = stampedTraces()
  learnStamps(sdk, traces)
  const url = envelopeUrl(client, dsn)
  const posting = new AsyncLocalStorage<string | null>()
  const native = url.startsWith('https:') ? https : http
  const httpModule = {
    request: (options: http.RequestOptions, callback?: (response: http.IncomingMessage) => void) => {
      const stamp = posting.getStore() ?? null
      if (stamp === null) return native.request(options, callback)
      return native.request({ ...options, headers: { ...options.headers, [STAMP_HEADER]: stamp } }, callback)
    },
  }
  const options = client.getOptions()
  const makeStamping = (): ServerTransport =>
    options.transport({
      tunnel: options.tunnel,
      recordDroppedEvent: client.recordDroppedEvent.bind(client),
      ...options.transportOptions,
      url,
      httpModule,
    })

  const send = transport.send.bind(transport)
  const flush = transport.flush.bind(transport)
  // Once there is one it posts everything: two would each know half of what upstream limits.
  let stamping: ServerTransport | null = null
  transport.send = (envelope) => {
    const stamp = traces.stampOf(envelope)
    if (stamp !== null) stamping ??= makeStamping()
    const to = stamping
    return to === null ? send(envelope) : posting.run(stamp, () => to.send(envelope))
  }
  transport.flush = async (timeout) => {
    const flushed = await Promise.all([flush(timeout), stamping?.flush(timeout) ?? true])
    return flushed.every((isAll) => isAll)
  }
}

const NOT_STARTED = 'stampServer: this Sentry has not been started. It is meant to be called after Sentry.init'

/** Where an SDK posts its envelopes: what it gives its transport, and tells nobody afterwards. */
function envelopeUrl(client: ServerClient, { protocol, host, port, path, projectId, publicKey }: ServerDsn): string {
  const { tunnel } = client.getOptions()
  if (tunnel) return tunnel
  const sdk = client.getSdkMetadata()?.sdk
  const told = new URLSearchParams({
    sentry_version: '7',
    ...(publicKey && { sentry_key: publicKey }),
    ...(sdk && { sentry_client: `${sdk.name}/${sdk.version}` }),
  })
  return `${protocol}://${host}${port ? `:${port}` : ''}${path ? `/${path}` : ''}/api/${projectId}/envelope/?${told}`
}

/** As much of `import * as Sentry from '@sentry/nextjs'`, or of any other SDK of Sentry's for Node, as stamps ask for. */
export interface ServerSdk extends StampedSdk {
  getClient(): ServerClient | undefined
}

interface ServerClient extends StampedClient {
  getTransport(): ServerTransport | undefined
  getDsn(): ServerDsn | undefined
  getOptions(): ServerOptions
  getSdkMetadata(): { readonly sdk?: { readonly name?: string; readonly version?: string } } | undefined
  recordDroppedEvent(...given: readonly unknown[]): void
}

interface ServerTransport {
  send(envelope: StampedEnvelope): PromiseLike<object>
  flush(timeout?: number): PromiseLike<boolean>
}

export interface ServerOptions {
  readonly tunnel?: string | undefined
  readonly transportOptions?: object | undefined
  transport(options: object): ServerTransport
}

interface ServerDsn {
  readonly protocol: string
  readonly publicKey?: string | undefined
  readonly host: string
  readonly port?: string | undefined
  readonly path?: string | undefined
  readonly projectId: string
}
