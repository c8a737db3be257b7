import type { CollectorClient } from '../../lib/wire/collector-client'

/** When what has this journal number was written, ms since the epoch; `null` where the journal no longer tells it. */
export async function momentOf(
  journal: number,
  { facts }: Pick<CollectorClient, 'facts'>,
  signal?: AbortSignal,
): Promise<number | null> {
  if (journal <= 0) return null
  const { facts: found } = await facts(journal - 1, 0, signal)
  const [first] = found
  return first?.n === journal ? first.at : null
}
