import { Hono } from 'hono'
import type * as z from 'zod'
import { hintAt, meantBy } from '../../lib/config/nearest'
import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { answerSchema, BEHAVIOURS, type PlayedScript, type Script, scriptSchema } from '../../lib/wire/stand-in'
import type { StandIn } from '../stand-in/stand-in'
import { readJson } from './control'
import { problem } from './refusal'

export interface ControlUpstream {
  /** `null` unless the collector plays upstream itself. */
  readonly upstream: {
    readonly standIn: Pick<StandIn, 'received' | 'state'>
    readonly play: (script: Script) => Promise<void>
  } | null
}

const MEANT =
  'meant is { "answers": [{ "status": 429, "headers": { "X-Sentry-Rate-Limits": "60:error:key" }, "times": 1 }] }'

/** What upstream is made to answer, where the collector plays it, and what it received. */
export function upstreamRoutes({ upstream }: ControlUpstream): Hono {
  const routes = new Hono()

  routes.get('/upstream', (c) => (upstream === null ? noStandIn(c) : c.json(upstream.standIn.state())))

  routes.post('/upstream', async (c) => {
    if (upstream === null) return noStandIn(c)
    const sent = await readJson(c.req.raw)
    if (!sent.ok) {
      const { status, why } = sent.error
      // The rest of it is still on its way, where the next request would begin.
      if (status === 413) c.header('Connection', 'close')
      return problem(c, { status, detail: MEANT, causes: [`the body: ${why}`] })
    }
    const script = readScript(sent.value)
    if (!script.ok) return problem(c, { status: 400, detail: MEANT, causes: script.error })
    await upstream.play(script.value)
    const { received, ...played } = upstream.standIn.state()
    return c.json(played satisfies PlayedScript)
  })

  routes.get('/upstream/received/:n', (c) => {
    if (upstream === null) return noStandIn(c)
    const post = upstream.standIn.received().find((one) => String(one.n) === c.req.param('n'))
    if (post === undefined) return problem(c, { status: 404, detail: 'the stand-in remembers no such post' })
    c.header('Content-Type', 'application/octet-stream')
    c.header('X-Content-Type-Options', 'nosniff')
    return c.body(post.body as Uint8Array<ArrayBuffer>)
  })

  return routes
}

const noStandIn = (c: Parameters<typeof problem>[0]): Response =>
  problem(c, {
    status: 409,
    detail: 'the collector does not play upstream: start it with WAYSTATION_UPSTREAM=stand-in',
  })

/** A script as it was sent, or what is wrong with it: where, what was read, and what was meant. */
function readScript(sent: unknown): Result<Script, readonly string[]> {
  const parsed = scriptSchema.safeParse(sent)
  if (!parsed.success) return fail(parsed.error.issues.slice(0, MOST_CAUSES).map((issue) => explain(issue, sent)))
  const mistyped = parsed.data.answers.flatMap(({ categories = [] }, at) =>
    categories.flatMap((category) => {
      const hint = categoryHint(category)
      return hint === null ? [] : [`answers.${at}.categories: ${JSON.stringify(category)}; ${hint}`]
    }),
  )
  return mistyped.length === 0 ? succeed(parsed.data) : fail(mistyped.slice(0, MOST_CAUSES))
}

const MOST_CAUSES = 10

/** A type that nobody knows counts under its own name, so that only what is nearly a known category is refused. */
function categoryHint(category: string): string | null {
  if (category === 'all') return 'a rule without categories takes every post'
  if (DATA_CATEGORIES.has(category)) return null
  const meant = meantBy(category, [...DATA_CATEGORIES])
  return meant === null ? null : `did you mean ${meant}?`
}

function explain(issue: z.core.$ZodIssue, sent: unknown): string {
  const where = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(issue.path.length === 0 ? scriptSchema.shape : answerSchema.shape)
    return issue.keys
      .slice(0, MOST_CAUSES)
      .map((key) => `${where}: there is no ${JSON.stringify(key.slice(0, 40))}; ${hintAt(key.slice(0, 40), known)}`)
      .join('; ')
  }
  // Of a key of a record: what is wrong with it is said one level down.
  if (issue.code === 'invalid_key') return `${where}: ${issue.issues[0]?.message ?? issue.message}`
  const read = readAt(issue.path, sent)
  if (issue.path.at(-1) === 'does' && typeof read === 'string')
    return `${where}: there is no ${JSON.stringify(read.slice(0, 40))}; ${hintAt(read.slice(0, 40), BEHAVIOURS)}`
  const shown = read === undefined ? 'nothing' : (JSON.stringify(read) ?? 'nothing').slice(0, 80)
  return `${where}: read ${shown}; ${issue.message}`
}

/** What was sent at a place of the script. */
function readAt(path: readonly PropertyKey[], sent: unknown): unknown {
  let value = sent
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, step) ? (value as Record<PropertyKey, unknown>)[step] : undefined
  }
  return value
}
