import { localDsn } from '../tunnel/local-dsn'
import { type NodeHandler, nodeHandler } from '../tunnel/node-handler'
import { createDiagnostics, type DiagnosticsOptions } from './diagnostics'

export interface LocalDiagnosticsOptions extends Omit<DiagnosticsOptions, 'collectorUrl' | 'recordsAddress'> {
  /** As for `localTunnel`: its host is the collector. Default: WAYSTATION_DSN, else `http://local@127.0.0.1:8969/1`. */
  readonly dsn?: string
  /** Whether the tunnel has `trustForwardedFor`, and so records addresses. Default: false. */
  readonly recordsAddress?: boolean
}

export type { PageOptions } from './texts'

/**
 * Makes the page that shows visitors what was sent about them, for the app of a `localTunnel` with `identifies`. In a Next
 * app, `app/diagnostics/route.ts` is
 *
 *     const diagnostics = localDiagnostics({ tunnel, pageOptions })
 *     export const GET = (request: Request) => diagnostics(request)
 *     export const POST = (request: Request) => diagnostics(request)
 *
 * @throws TypeError for a malformed DSN
 */
export function localDiagnostics(options: LocalDiagnosticsOptions): (request: Request) => Promise<Response> {
  const { dsn, recordsAddress = false, ...others } = options
  const { collectorUrl } = localDsn(dsn, 'localDiagnostics')
  return createDiagnostics({ ...others, recordsAddress, collectorUrl })
}

/**
 * `localDiagnostics` for Node's `http` and for Express, before any body parser:
 * `app.all('/diagnostics', nodeDiagnostics({ tunnel, pageOptions }))`.
 * @throws TypeError for a malformed DSN
 */
export const nodeDiagnostics = (options: LocalDiagnosticsOptions): NodeHandler =>
  nodeHandler({ handle: localDiagnostics(options) })
