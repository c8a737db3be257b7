import type { Context } from 'hono'
import { eventIdOfForm } from '../../lib/protocol/direct-upload'
import { ENVELOPE_ERRORS } from '../../lib/protocol/envelope'
import { hex32 } from '../../lib/protocol/ids'
import type { DirectEndpoint } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Refusal } from '../runtime/problem'

/** Routes below `/api/{project}/`, without the trailing slash. */
export const DIRECT_ROUTES: readonly (readonly [path: string, endpoint: DirectEndpoint])[] = [
  ['minidump', 'minidump'],
  ['unreal/:key', 'unreal'],
  ['nel', 'nel'],
  ['cron/:monitor', 'cron'],
  ['cron/:monitor/:key', 'cron'],
  ['events/:event/attachments', 'attachments'],
]

/** Parameters that identify the sender. The relay writes its own. */
const CREDENTIALS = ['sentry_key', 'sentry_secret', 'sentry_version', 'sentry_client']

/**
 * The address of a request after its project, for the same endpoint upstream: with `{key}` for the key in its path, and
 * without credentials in its query.
 */
export function targetOf(c: Context, endpoint: DirectEndpoint): Result<string, Refusal> {
  const path = pathOf(c, endpoint)
  if (path === null) return fail({ status: 400, reason: 'event_id_invalid', detail: ENVELOPE_ERRORS.event_id_invalid })
  const query = new URL(c.req.url).searchParams
  for (const name of CREDENTIALS) query.delete(name)
  return succeed(query.size === 0 ? path : `${path}?${query}`)
}

function pathOf(c: Context, endpoint: DirectEndpoint): string | null {
  switch (endpoint) {
    case 'unreal':
      return 'unreal/{key}/'
    case 'cron': {
      const monitor = encodeURIComponent(c.req.param('monitor') ?? '')
      return `cron/${monitor}/${c.req.param('key') === undefined ? '' : '{key}/'}`
    }
    case 'attachments': {
      const eventId = hex32(c.req.param('event'))
      return eventId === null ? null : `events/${eventId}/attachments/`
    }
    default:
      return `${endpoint}/`
  }
}

/** Answers as Sentry's Relay does: crash reports with the id of their event as text, the others without one. */
export function answerDirect(c: Context, endpoint: DirectEndpoint, eventId: string): Response {
  switch (endpoint) {
    case 'minidump':
    case 'unreal':
      return c.text(withDashes(eventId))
    case 'cron':
      return c.json({}, 202)
    case 'attachments':
      return c.json({}, 201)
    default:
      return c.json({})
  }
}

/** The id of a crash report: the one that its form names, or the given one. */
export const crashId = (endpoint: DirectEndpoint, body: Uint8Array, otherwise: () => string): string =>
  (endpoint === 'minidump' ? eventIdOfForm(body) : null) ?? otherwise()

const withDashes = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
