import { transactionEnvelope } from '../flow/envelopes'
import { post } from './post'
import { expect, type Page, type Station } from './station'

/** The field above a list. */
export const field = (page: Page, noun = 'traces') => page.getByRole('searchbox', { name: `Filter ${noun}` })
export const rows = (page: Page) => page.locator('tbody tr')

/** Transactions by their names, oldest first, that are shown when this resolves. */
export async function send(
  station: Station,
  given: readonly { readonly name: string; readonly op?: string }[],
): Promise<void> {
  const made = given.map((one) => transactionEnvelope(station.running.localDsn, one))
  for (const { body } of made) expect(await post(station, body)).toBe(200)
  for (const { traceId } of made) await station.traceOnce(traceId, (trace) => trace.segments.length === 1)
}

/** The query of the page's address, in the order of its names. */
export const asked = (page: Page): string => {
  const params = new URL(page.url()).searchParams
  params.sort()
  return params.toString()
}
