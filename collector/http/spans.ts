import { Hono } from 'hono'
import { hex16, hex32 } from '../../lib/protocol/json'
import type { Reader } from '../index/reader'
import { missing, noHexId, wrong } from './query-answers'
import { answerList } from './query-lists'
import { onlyKnown } from './query-parameters'

/** Spans: a list, newest record first, and one by the ids of its trace and its own. */
export function spanRoutes(reader: Pick<Reader, 'spans' | 'span'>, now: () => number): Hono {
  const routes = new Hono()
  routes.get('/spans', (c) => answerList(c, 'spans', now(), reader.spans))
  routes.get('/spans/:trace/:span', async (c) => {
    const known = onlyKnown(c, [])
    if (!known.ok) return wrong(c, known.error)
    const { trace, span } = c.req.param()
    const [traceId, spanId] = [hex32(trace), hex16(span)]
    if (traceId === null) return wrong(c, noHexId('trace', trace))
    if (spanId === null) return wrong(c, noHexId('span', span, 16))
    const found = await reader.span(traceId, spanId)
    return found === null ? missing(c, 'span', spanId) : c.json(found)
  })
  return routes
}
