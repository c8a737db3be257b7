import { Hono } from 'hono'
import { isStamp, STAMP_MEANT } from '../../lib/protocol/request'
import { type DeadLetterOrder, type DeadLettersDone, deadLetterOrderSchema } from '../../lib/wire/delivery'
import type { Reader } from '../index/reader'
import { readJson } from './control'
import { wrong } from './query-answers'
import { onlyKnown, pageRequest } from './query-parameters'
import { problem } from './refusal'

export interface Ledgers {
  readonly reader: Pick<Reader, 'losses' | 'deadLetters'>
  readonly now: () => number
}

export interface DeadLetterVerbs {
  /** Sends dead letters again, or drops them. */
  readonly orderDeadLetters: (order: DeadLetterOrder) => Promise<DeadLettersDone>
}

/** `GET /query/losses`: what was lost, by whom and why. `GET /query/dead-letters`: what waits for a person. */
export function ledgerRoutes({ reader, now }: Ledgers): Hono {
  const routes = new Hono()
  routes.get('/losses', async (c) => {
    const known = onlyKnown(c, ['stamp'])
    if (!known.ok) return wrong(c, known.error)
    const stamp = c.req.query('stamp') ?? null
    if (stamp !== null && !isStamp(stamp)) return wrong(c, `stamp=${stamp.slice(0, 40)}: meant is ${STAMP_MEANT}`)
    return c.json(await reader.losses(stamp, now()))
  })
  routes.get('/dead-letters', async (c) => {
    const known = onlyKnown(c, ['cursor', 'limit'])
    if (!known.ok) return wrong(c, known.error)
    const asked = pageRequest(c)
    if (!asked.ok) return wrong(c, asked.error)
    return c.json(await reader.deadLetters(asked.value.place, asked.value.page))
  })
  return routes
}

/** `POST /control/dead-letters`: a person decides about what upstream refused. */
export function deadLetterRoutes({ orderDeadLetters }: DeadLetterVerbs): Hono {
  const routes = new Hono()
  routes.post('/dead-letters', async (c) => {
    const sent = await readJson(c.req.raw)
    if (!sent.ok) {
      const { status, why } = sent.error
      // The rest of it is still on its way, where the next request would begin.
      if (status === 413) c.header('Connection', 'close')
      return problem(c, { status, detail: ORDER_MEANT, causes: [`the body: ${why}`] })
    }
    const parsed = deadLetterOrderSchema.safeParse(sent.value)
    if (parsed.success) return c.json(await orderDeadLetters(parsed.data))
    const names = new Set(parsed.error.issues.map(({ path: [name] }) => name))
    const causes = WORDS.filter(({ name }) => names.has(name)).map(
      ({ name, meant }) => `${name}: read ${shown(sent.value, name)}; meant is ${meant}`,
    )
    return problem(c, {
      status: 400,
      detail: ORDER_MEANT,
      causes: names.has(undefined) ? ['the body: it is no object'] : causes,
    })
  })
  return routes
}

const ORDER_MEANT = 'meant is { "do": "send", "which": "all" }, or "drop", and the numbers of up to 1000 envelopes'

const WORDS = [
  { name: 'do', meant: 'send or drop' },
  { name: 'which', meant: 'all, or the numbers of 1 to 1000 envelopes' },
] as const

/** What stands under a name of an object that was sent. */
function shown(sent: unknown, name: string): string {
  const value =
    typeof sent === 'object' && sent !== null && Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80)
}
