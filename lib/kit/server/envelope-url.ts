import type { ServerClient, ServerDsn } from './server-sdk'

/** Where an SDK posts its envelopes: what it gives its transport, and tells nobody afterwards. */
export function envelopeUrl(
  client: ServerClient,
  { protocol, host, port, path, projectId, publicKey }: ServerDsn,
): string {
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
