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
import { type FlushingSdk, flushOnRequest } from './flush-server'

/**
 * Assigns a server's telemetry to the test whose request caused it, using the stamp cookie or header of the request. The
 * stamp is posted in a header, never in the envelope.
 *
 *     Sentry.init({ dsn: process.env.SENTRY_DSN, tracesSampleRate: 1 })
 *     stampServer(Sentry)
 *
 * In a program of `waystation run` it also flushes the SDK at `settle`, at the end of the run, and at SIGTERM.
 *
 * Without stamped requests nothing changes. It needs the default transport of the Node SDK, or one that uses the
 * `httpModule` of its options.
 * @param sdk the app's initialised SDK
 * @throws TypeError if the SDK is not initialised
 */
export function stampServer(sdk: ServerSdk): void {
  const client = sdk.getClient()
  if (client === undefined) throw new TypeError(NOT_STARTED)
  const transport = client.getTransport()
  const dsn = client.getDsn()
  // Without a DSN the SDK sends nothing.
  if (transport === undefined || dsn === undefined) return

  const { WAYSTATION_COLLECTOR_URL: collectorUrl, WAYSTATION_TOKEN: token } = process.env
  if (collectorUrl?.startsWith('http://')) flushOnRequest(sdk, collectorUrl, token)

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
  // Once created it posts everything: with two transports each would know only a part of the rate limits.
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

const NOT_STARTED = 'stampServer: the Sentry SDK is not initialised; call stampServer after Sentry.init'

/** The address to which an SDK posts its envelopes. The SDK does not expose it. */
function envelopeUrl(client: ServerClient, { protocol, host, port, path, projectId, publicKey }: ServerDsn): string {
  const { tunnel } = client.getOptions()
  if (tunnel) return tunnel
  const sdk = client.getSdkMetadata()?.sdk
  const query = new URLSearchParams({
    sentry_version: '7',
    ...(publicKey && { sentry_key: publicKey }),
    ...(sdk && { sentry_client: `${sdk.name}/${sdk.version}` }),
  })
  return `${protocol}://${host}${port ? `:${port}` : ''}${path ? `/${path}` : ''}/api/${projectId}/envelope/?${query}`
}

/** The required part of `import * as Sentry from '@sentry/nextjs'`, or of another Sentry SDK for Node. */
export interface ServerSdk extends StampedSdk, FlushingSdk {
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
