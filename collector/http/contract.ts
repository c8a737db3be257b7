import { Hono } from 'hono'
import { isStamp, STAMP_MEANT } from '../../lib/protocol/request'
import type { Contract } from '../../lib/wire/contract'
import { wrong } from './query-answers'
import { onlyKnown, wholeNumber } from './query-parameters'

export interface ContractVerbs {
  /** Judges what is recorded by the runtime contract. */
  readonly contract: (asked: { readonly stamp: string | null; readonly after: number }) => Promise<Contract>
}

/** `GET /query/contract`: each setting of the runtime contract with its verdict on what is recorded. */
export function contractRoutes({ contract }: ContractVerbs): Hono {
  const routes = new Hono()
  routes.get('/contract', async (c) => {
    const known = onlyKnown(c, ['stamp', 'after'])
    if (!known.ok) return wrong(c, known.error)
    const stamp = c.req.query('stamp') ?? null
    if (stamp !== null && !isStamp(stamp)) return wrong(c, `stamp=${stamp.slice(0, 40)}: meant is ${STAMP_MEANT}`)
    const after = wholeNumber(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
    if (!after.ok) return wrong(c, after.error)
    return c.json(await contract({ stamp, after: after.value }))
  })
  return routes
}
