/**
 * Who spoke: `browser`, `server`, `edge`, or another SDK's platform (`python`, `go`). One SDK name serves browser and
 * server of a Next app, so its platform and runtime decide.
 */
export function serviceOf(sender: {
  readonly platform?: string | null
  readonly sdk?: string | null
  readonly runtime?: string | null
  readonly inBrowser?: boolean
}): string {
  if (sender.runtime === 'vercel-edge' || sender.runtime === 'edge') return 'edge'
  if (sender.platform === 'node') return 'server'
  if (sender.platform === 'javascript') return 'browser'
  if (sender.platform) return sender.platform
  // A streamed span has no platform: see `fromBrowser`.
  const family = /^sentry\.([a-z]+)(?:\.([a-z-]+))?/.exec(sender.sdk ?? '')
  if (family !== null && family[1] !== 'javascript') return family[1] ?? 'unknown'
  if (sender.inBrowser) return 'browser'
  return family === null ? 'unknown' : 'server'
}

/**
 * Does a container of streamed spans come from a browser? Browser SDKs put the browser's `user_agent.original` on every
 * span. A server's has it on some: on outgoing requests it is the caller's own (`node`).
 */
export function fromBrowser(spans: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]): boolean {
  return spans.every(({ attributes }) => String(attributes['user_agent.original'] ?? '').startsWith('Mozilla/'))
}
