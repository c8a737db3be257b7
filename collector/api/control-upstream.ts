import { type Context, Hono } from 'hono'
import type * as z from 'zod'
import { nameHint, similarName } from '../../lib/config/nearest'
import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { answerSchema, BEHAVIOURS, type PlayedScript, type Script, scriptSchema } from '../../lib/wire/stand-in'
import { problem } from '../runtime/problem'
import type { StandIn } from '../stand-in/stand-in'
import { bodyProblem, readJson } from './control'

export interface StandInDeps {
  /** `null` unless WAYSTATION_UPSTREAM=stand-in. */
  readonly upstream: {
    readonly standIn: Pick<StandIn, 'received' | 'state'>
    readonly play: (script: Script) => void
  } | null
}

const SCRIPT_FORMAT =
  'the body must be like { "answers": [{ "status": 429, "headers": { "X-Sentry-Rate-Limits": "60:error:key" }, "times": 1 }] }'

export function upstreamRoutes({ upstream }: StandInDeps): Hono {
  const routes = new Hono()

  routes.get('/upstream', (c) => (upstream === null ? noStandIn(c) : c.json(upstream.standIn.state())))

  routes.post('/upstream', async (c) => {
    if (upstream === null) return noStandIn(c)
    const body = await readJson(c.req.raw)
    if (!body.ok) return bodyProblem(c, SCRIPT_FORMAT, body.error)
    const script = readScript(body.value)
    if (!script.ok) return problem(c, { status: 400, detail: SCRIPT_FORMAT, causes: script.error })
    upstream.play(script.value)
    const { received, ...played } = upstream.standIn.state()
    return c.json(played satisfies PlayedScript)
  })

  routes.get('/upstream/received/:n', (c) => {
    if (upstream === null) return noStandIn(c)
    const post = upstream.standIn.received().find((one) => String(one.n) === c.req.param('n'))
    if (post === undefined) return problem(c, { status: 404, detail: 'the stand-in has no such post in memory' })
    c.header('Content-Type', 'application/octet-stream')
    c.header('X-Content-Type-Options', 'nosniff')
    return c.body(post.body as Uint8Array<ArrayBuffer>)
  })

  return routes
}

const noStandIn = (c: Context): Response =>
  problem(c, {
    status: 409,
    detail: 'the collector has no stand-in: start it with WAYSTATION_UPSTREAM=stand-in',
  })

const MAX_CAUSES = 10

/** @returns the script, or one line per mistake: the path, the value, and what is valid */
function readScript(sent: unknown): Result<Script, readonly string[]> {
  const parsed = scriptSchema.safeParse(sent)
  if (!parsed.success) return fail(parsed.error.issues.slice(0, MAX_CAUSES).map((issue) => describeIssue(issue, sent)))
  const mistyped = parsed.data.answers.flatMap(({ categories = [] }, at) =>
    categories.flatMap((category) => {
      const hint = categoryHint(category)
      return hint === null ? [] : [`answers.${at}.categories: ${JSON.stringify(category)}; ${hint}`]
    }),
  )
  return mistyped.length === 0 ? succeed(parsed.data) : fail(mistyped.slice(0, MAX_CAUSES))
}

/** An unknown item type is its own category, so only a name that is nearly a known category is rejected. */
function categoryHint(category: string): string | null {
  if (category === 'all') return 'an answer without categories applies to every post'
  if (DATA_CATEGORIES.has(category)) return null
  const near = similarName(category, [...DATA_CATEGORIES])
  return near === null ? null : `did you mean ${near}?`
}

function describeIssue(issue: z.core.$ZodIssue, sent: unknown): string {
  const path = issue.path.length === 0 ? 'the body' : issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(issue.path.length === 0 ? scriptSchema.shape : answerSchema.shape)
    return issue.keys
      .slice(0, MAX_CAUSES)
      .map((key) => `${path}: unknown key ${JSON.stringify(key.slice(0, 40))}; ${nameHint(key.slice(0, 40), known)}`)
      .join('; ')
  }
  // The reason why a key is invalid is in the nested issue.
  if (issue.code === 'invalid_key') return `${path}: ${issue.issues[0]?.message ?? issue.message}`
  const value = valueAt(issue.path, sent)
  if (issue.path.at(-1) === 'does' && typeof value === 'string')
    return `${path}: unknown behaviour ${JSON.stringify(value.slice(0, 40))}; ${nameHint(value.slice(0, 40), BEHAVIOURS)}`
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing').slice(0, 80)
  return `${path}: got ${text}; ${issue.message}`
}

function valueAt(path: readonly PropertyKey[], sent: unknown): unknown {
  let value = sent
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.hasOwn(value, step) ? (value as Record<PropertyKey, unknown>)[step] : undefined
  }
  return value
}
