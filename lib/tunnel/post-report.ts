import { reasonOf, type TunnelFetch } from './post'

const TIMEOUT_MS = 5_000

/** Posts what a tunnel counted. @returns the cause of a failure, or `null` */
export async function postReport(fetch: TunnelFetch, url: string, report: object): Promise<string | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'waystation-tunnel' },
      body: JSON.stringify(report),
      duplex: 'half',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    })
    await response.body?.cancel()
    return response.ok ? null : `the collector answered ${response.status}`
  } catch (cause) {
    return reasonOf(cause)
  }
}
