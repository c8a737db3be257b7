import { client } from './client'
import { notifyDone } from './live-stream'

/** Deletes all records without pending deliveries, after a confirmation. */
export async function clearSettled(): Promise<void> {
  if (!window.confirm('Delete all records without pending deliveries? Pending envelopes and dead letters stay.')) return
  await client.clear({ pending: false })
  notifyDone()
}
