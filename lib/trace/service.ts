/**
 * Who spoke: `browser`, `server`, `edge`, or another SDK's platform (`python`, `go`). One SDK name serves browser and
 * server of a Next app, so its platform and runtime decide.
 */
export function serviceOf(sender: {
  readonly platform?: string | null
  readonly sdk?: string | null
  readonly runtime?: string | null
  readonly hasUserAgent?: boolean
}): string {
  if (sender.runtime === 'vercel-edge' || sender.runtime === 'edge') return 'edge'
  if (sender.platform === 'node') return 'server'
  if (sender.platform === 'javascript') return 'browser'
  if (sender.platform) return sender.platform
  // A streamed span has no platform. Browser SDKs put `user_agent.original` on every span, server SDKs on none.
  const family = /^sentry\.([a-z]+)(?:\.([a-z-]+))?/.exec(sender.sdk ?? '')
  if (family !== null && family[1] !== 'javascript') return family[1] ?? 'unknown'
  if (sender.hasUserAgent) return 'browser'
  return family === null ? 'unknown' : 'server'
}
