import type { Telemetry } from '../../lib/kit/playwright'
import { stampHeaders } from '../../lib/kit/stamp-headers'
import { parseDsn } from '../../lib/protocol/dsn'
import type { SeenEvent } from '../../lib/verdict/evidence/evidence'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import type { Station } from './station'

/** A program next to the browser. It sends prepared envelopes by DSN with the stamp of the test. */
export interface Program {
  /** @param stamp that of the test by default */
  readonly send: (body: string, stamp?: string) => Promise<void>
  /** Sends an error of a browser SDK; resolves with it once it is recorded. */
  readonly sendError: (message: string) => Promise<SeenEvent>
  /** Sends transactions with these names, oldest first. */
  readonly sendTransactions: (...given: readonly { readonly name: string; readonly op?: string }[]) => Promise<void>
}

/** Posts an envelope to the collector. Returns the status of the answer. */
export async function post(
  { running }: Pick<Station, 'running'>,
  body: string,
  { dsn = running.localDsn, headers = {} }: { readonly dsn?: string; readonly headers?: Record<string, string> } = {},
): Promise<number> {
  const parsed = parseDsn(dsn)
  if (!parsed.ok) throw new Error(parsed.error)
  const { publicKey, projectId } = parsed.value
  const endpoint = `${running.collectorUrl}/api/${projectId}/envelope/?sentry_key=${publicKey}`
  return (await fetch(endpoint, { method: 'POST', headers, body })).status
}

/** Creates the program of a test. Its own errors are allowed; errors of the pages that show them are unexpected. */
export function createProgram(station: Pick<Station, 'running'>, telemetry: Telemetry): Program {
  const page = crypto.randomUUID()
  const dsn = station.running.localDsn
  telemetry.allow({ page })
  const send: Program['send'] = async (body, stamp = telemetry.stamp) => {
    const status = await post(station, body, { headers: stampHeaders(stamp, page) })
    if (status !== 200) throw new Error(`the collector answered ${status} to an envelope of the test, expected 200`)
  }
  return {
    send,
    sendError: async (message) => {
      const { body, eventId } = errorEnvelope(dsn, { message })
      await send(body)
      return telemetry.waitFor.error({ eventId })
    },
    sendTransactions: async (...given) => {
      for (const one of given) await send(transactionEnvelope(dsn, one).body)
    },
  }
}
