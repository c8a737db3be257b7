import { afterAll, expect, it } from 'vitest'
import { readTraces } from '../../../collector/index/lists/read-traces'
import { readSpans } from '../../../collector/index/traces/read-spans'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { NEWEST } from '../../../lib/wire/list-paging'
import { SPAN, TRACE_ID, tracesRequest } from '../otlp/requests'
import { accepted, removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const OTHER_TRACE = '0af7651916cd43dd8448eb211c80319c'
/** One request with a span of each of two traces. */
const body = JSON.stringify(tracesRequest(SPAN, { ...SPAN, traceId: OTHER_TRACE }))

const page = { limit: 50 }
const statusesOf = (folder: RecordedFolder) =>
  Object.fromEntries(
    readTraces(folder.db, {}, NEWEST, page).traces.map(({ traceId, deliveryStatus }) => [traceId, deliveryStatus.name]),
  )

it('a request of OpenTelemetry gives every trace in it its delivery status', async () => {
  const folder = new RecordedFolder()
  const seq = folder.receive(body, { endpoint: 'otlp_traces', deliveryStatus: 'pending' })
  folder.digest()
  expect(statusesOf(folder)).toEqual({ [TRACE_ID]: 'pending', [OTHER_TRACE]: 'pending' })
  await folder.deliver(accepted(seq))
  expect(statusesOf(folder)).toEqual({ [TRACE_ID]: 'accepted', [OTHER_TRACE]: 'accepted' })
  folder.close()
})

it('spans of OpenTelemetry are found by the environment, release and service of their resource', () => {
  const folder = new RecordedFolder()
  folder.receive(body, { endpoint: 'otlp_traces' })
  folder.digest()
  const found = (filter: Parameters<typeof readSpans>[2]) =>
    readSpans(folder.db, { sizeLimits: SIZE_LIMITS, now: () => 0 }, filter, NEWEST, page).spans.map(
      ({ traceId }) => traceId,
    )
  expect(found({ environment: 'staging', release: '1.2.3', service: 'checkout' })).toHaveLength(2)
  expect(found({ environment: 'production' })).toEqual([])
  folder.close()
})
