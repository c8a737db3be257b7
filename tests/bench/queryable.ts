import { itemsPageSchema } from '../../lib/wire/journal'
import { randomFrom } from '../faults/random'
import { INTAKE_PATH } from './collector-under-bench'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

/** One at a time, so often: enough of them for a p99 and too few to be a load. */
const EVERY_MS = 100
const STAMP = 'bench-probe'

/**
 * Posts envelopes of its own with a stamp, and waits for each at `/query/items`, until it is over.
 * @returns ms from the answer to the post until the answer that shows it, of each.
 */
export async function probe(url: string, over: AbortSignal): Promise<readonly number[]> {
  const draw = randomFrom(Date.now())
  const waits: number[] = []
  let after = 0
  while (!over.aborted) {
    const made = transactionEnvelope(draw, { ...PAGE_LOAD, start: Math.floor(Date.now() / 1000) })
    const posted = await fetch(`${url}${INTAKE_PATH}`, {
      method: 'POST',
      body: made.text,
      headers: { 'x-waystation-stamp': STAMP },
    })
    await posted.arrayBuffer()
    if (posted.status !== 200) throw new Error(`a probe was answered ${posted.status}`)
    const accepted = performance.now()
    for (let found = false; !found; ) {
      const page = itemsPageSchema.parse(
        await (await fetch(`${url}/query/items?after=${after}&wait=25&stamp=${STAMP}`)).json(),
      )
      if (page.items.length === 0) throw new Error('a probe was not queryable within 25 s')
      after = page.next
      found = page.items.some(({ eventId }) => eventId === made.eventId)
    }
    const shown = performance.now()
    waits.push(shown - accepted)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - (shown - accepted))))
  }
  return waits
}
