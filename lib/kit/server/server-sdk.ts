import type { StampedClient, StampedEnvelope, StampedSdk } from '../../sdk/stamped-sdk'

/** As much of `import * as Sentry from '@sentry/nextjs'`, or of any other SDK of Sentry's for Node, as stamps ask for. */
export interface ServerSdk extends StampedSdk {
  getClient(): ServerClient | undefined
}

export interface ServerClient extends StampedClient {
  getTransport(): ServerTransport | undefined
  getDsn(): ServerDsn | undefined
  getOptions(): ServerOptions
  getSdkMetadata(): { readonly sdk?: { readonly name?: string; readonly version?: string } } | undefined
  recordDroppedEvent(...given: readonly unknown[]): void
}

export interface ServerTransport {
  send(envelope: StampedEnvelope): PromiseLike<object>
  flush(timeout?: number): PromiseLike<boolean>
}

export interface ServerOptions {
  readonly tunnel?: string | undefined
  readonly transportOptions?: object | undefined
  transport(options: object): ServerTransport
}

export interface ServerDsn {
  readonly protocol: string
  readonly publicKey?: string | undefined
  readonly host: string
  readonly port?: string | undefined
  readonly path?: string | undefined
  readonly projectId: string
}
