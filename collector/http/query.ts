import { Hono } from 'hono'
import { hex16, hex32 } from '../../lib/protocol/json'
import type { Overview } from '../../lib/wire/overview'
import type { Reader } from '../index/reader'
import type { LiveHub } from './hub'
import { missing, noHexId, wrong } from './query-answers'
import { answerList, type Lists, listRoutes } from './query-lists'
import { onlyKnown, wholeNumber } from './query-parameters'
import { signalRoutes } from './query-signals'
import { waitRoutes } from './query-waits'
import { spanRoutes } from './spans'
import { answerTrace, SPANS_OF_TRACE } from './trace'

export interface Query extends Lists {
  readonly reader: Reader
  readonly hub: LiveHub
  readonly overview: () => Promise<Overview>
}

/** What is recorded, as JSON: lists newest first with cursors, and each thing by its id. */
export function queryRoutes(parts: Query): Hono {
  const { reader } = parts
  const routes = new Hono()

  routes.get('/overview', async (c) => {
    const known = onlyKnown(c, [])
    return known.ok ? c.json(await parts.overview()) : wrong(c, known.error)
  })

  routes.get('/traces', (c) => answerList(c, 'traces', parts.now(), reader.traces))
  routes.get('/segments', (c) => answerList(c, 'segments', parts.now(), reader.segments))
  routes.route('/', listRoutes(parts))
  routes.route('/', signalRoutes(reader, parts.now))
  routes.route('/', spanRoutes(reader, parts.now))
  routes.route('/', waitRoutes(reader, parts.hub))

  routes.get('/segments/:trace/:segment', async (c) => {
    const known = onlyKnown(c, [])
    if (!known.ok) return wrong(c, known.error)
    const { trace, segment } = c.req.param()
    const [traceId, segmentId] = [hex32(trace), hex16(segment)]
    if (traceId === null) return wrong(c, noHexId('trace', trace))
    if (segmentId === null) return wrong(c, noHexId('segment', segment, 16))
    const found = await reader.segment(traceId, segmentId)
    return found === null ? missing(c, 'segment', segmentId) : c.json(found)
  })
  routes.get('/traces/:id', async (c) => {
    const known = onlyKnown(c, ['spans'])
    if (!known.ok) return wrong(c, known.error)
    const most = wholeNumber(c, 'spans', SPANS_OF_TRACE)
    if (!most.ok) return wrong(c, most.error)
    const given = c.req.param('id')
    const id = hex32(given)
    if (id === null) return wrong(c, noHexId('trace', given))
    return (await answerTrace(c, reader, id, most.value)) ?? missing(c, 'trace', given)
  })
  return routes
}
