import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { CollectorClient } from '../../lib/wire/collector-client'
import { bufferLines } from '../launch/child-process'
import { shownEnvironment } from '../launch/recorder-environment'
import { startCollector, stopCollector } from '../launch/start-collector'
import type { StopRequests } from '../launch/stop-requests.js'
import { clientAt } from './collector-connection'

/**
 * Reads a run through a collector that receives and changes nothing.
 * @param folder the copy of an opened run
 * @returns the answer of `read`, or why the collector did not start @throws what `read` throws
 */
export async function readRun<Answer>(
  folder: string,
  { root, bundles, stop }: { readonly root: string; readonly bundles: string; readonly stop: StopRequests },
  read: (client: CollectorClient) => Promise<Answer>,
): Promise<Result<Answer, string>> {
  const lines = bufferLines('collector', (line) => console.error(plainText(line)))
  const env = shownEnvironment(folder, 0)
  const plan = { root, bundles, env, dataFolder: folder, port: 0, appUrl: 'off', isShown: true, onLine: lines.add }
  const collector = startCollector(plan)
  try {
    const ready = await collector.ready
    if (!ready.ok) {
      if (!ready.error.explained) lines.flush()
      return fail(ready.error.message)
    }
    return succeed(await read(clientAt(ready.value.url, env.WAYSTATION_TOKEN)))
  } finally {
    await stopCollector(collector, stop.again)
  }
}
