import { acceptsProject, type Environment, keylessProject } from '../../lib/config/environment'
import { parseDsn } from '../../lib/protocol/dsn'
import type { Envelope } from '../../lib/protocol/envelope'
import { type Endpoint, isEnvelope, isOtlp } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Refusal } from '../runtime/problem'
import type { Credentials } from './credentials'

/** Key and project of a sender. */
export interface Sender {
  readonly publicKey: string
  readonly project: string
}

type Decision = Result<Sender, Refusal>

export interface Authorisation {
  /** The decision after the address and the headers; `null` while only the header of the envelope can tell. */
  readonly byAddress: Decision | null
  /** The decision after the header of the envelope. A decision that was made before stays. */
  readonly byHeader: (header: Envelope['header']) => Decision
}

/**
 * Checks once that a configured project sent a request, as soon as what has arrived of it suffices. Never uses the host,
 * path or secret of a received DSN. Refuses a bad identity with 400, none with 401, an unknown one with 403.
 */
export function authorise(endpoint: Endpoint, credentials: Credentials, environment: Environment): Authorisation {
  const known = identify(endpoint, credentials, {}, environment)
  // The header of an envelope may name the sender, or contradict the address.
  const byAddress = !isEnvelope(endpoint) || (!known.ok && known.error.reason !== 'no_key') ? known : null
  let decision = byAddress
  return {
    byAddress,
    byHeader: (header) => {
      decision ??= identify(endpoint, credentials, header, environment)
      return decision
    },
  }
}

/** A copy needs no key and no configured project: it is never relayed, and Spotlight sends none. */
const COPY_SENDER: Sender = { publicKey: 'copy', project: '0' }

/** Also checked without an upstream, where every project is accepted: pages show this text. */
const PROJECT_ID = /^\d{1,20}$/

function identify(
  endpoint: Endpoint,
  credentials: Credentials,
  { dsn }: Envelope['header'],
  environment: Environment,
): Decision {
  const { key, project } = credentials
  if (project !== null && !PROJECT_ID.test(project))
    return fail({
      status: 400,
      reason: 'malformed_project',
      detail: 'the project in the path is not a numeric project id',
    })
  if (dsn === undefined) {
    if (key === null || project === null) return withoutKey(endpoint, credentials, environment)
    return ofConfigured(endpoint, { publicKey: key, project }, environment)
  }
  const parsed = typeof dsn === 'string' ? parseDsn(dsn) : fail('the dsn of the envelope header is not a string')
  if (!parsed.ok) return fail({ status: 400, reason: 'malformed_dsn', detail: parsed.error })
  const { publicKey, projectId } = parsed.value
  if ((key !== null && key !== publicKey) || (project !== null && project !== projectId))
    return fail({
      status: 400,
      reason: 'dsn_mismatch',
      detail: 'the dsn of the envelope header has another key or project than the request',
    })
  return ofConfigured(endpoint, { publicKey, project: projectId }, environment)
}

function withoutKey(endpoint: Endpoint, { project, mayOmitKey }: Credentials, environment: Environment): Decision {
  if (endpoint === 'stream') return succeed(COPY_SENDER)
  if (mayOmitKey && project === null) return succeed(keylessProject(environment))
  return fail({ status: 401, reason: 'no_key', detail: describeKey(endpoint, mayOmitKey) })
}

function describeKey(endpoint: Endpoint, mayOmitKey: boolean): string {
  if (!isOtlp(endpoint))
    return 'no public key: send sentry_key by X-Sentry-Auth or query, or a dsn in the envelope header'
  return mayOmitKey
    ? 'no public key: send x-sentry-auth: sentry sentry_key=KEY, or post to /v1/traces without a key'
    : 'authentication required: send x-sentry-auth: sentry sentry_key=KEY, or Authorization: Bearer TOKEN'
}

function ofConfigured(endpoint: Endpoint, sender: Sender, environment: Environment): Decision {
  const { publicKey, project } = sender
  if (endpoint === 'stream' || acceptsProject(environment, { publicKey, projectId: project })) return succeed(sender)
  return fail({
    status: 403,
    reason: 'unknown_project',
    detail: `project ${project} with this key is not configured in Waystation; use the local DSN that it prints at start`,
  })
}
