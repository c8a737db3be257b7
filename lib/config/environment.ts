import * as z from 'zod'
import { CONSENTS, type ConsentPolicy } from '../protocol/consent'
import { type Dsn, formatDsn, LOCAL_KEY, localDsn, parseDsn, sameProject } from '../protocol/dsn'
import { fail, type Result, succeed } from '../protocol/result'
import { hasAllRoles, type Role } from '../protocol/roles'
import type { SizeLimits } from '../protocol/size-limits'
import { isDsn, KEYLESS, type Upstream, type UpstreamAddress } from '../protocol/upstream-address'
import {
  dsn,
  folder,
  host,
  hostAlone,
  httpUrl,
  httpUrlOrOff,
  lanes,
  list,
  maxAge,
  maxDisk,
  onOff,
  origin,
  port,
  portOrOff,
  postgresUrl,
  reachedAt,
  roles,
  sizeLimits,
  storeSize,
  upstreamAddress,
} from './fields'
import { nearest } from './nearest'

const DEFAULT_APP_PORT = 3000
/** SDKs with the `spotlight` option send here by default. */
const DEFAULT_COLLECTOR_PORT = 8969
/** OpenTelemetry programs send here by default (OTLP specification, "OTLP/HTTP Default Port"). */
const DEFAULT_OTLP_PORT = 4318
/** `WAYSTATION_UPSTREAM=stand-in`: the collector runs a mock upstream on a free loopback port. */
export const STAND_IN = 'stand-in'

/** The settings of app and collector, from environment variables, parsed once at start. */
export interface Environment {
  readonly appPort: number
  readonly collectorHost: string | null
  readonly collectorPort: number
  /** A second port that serves only OTLP; `null` for `off`. */
  readonly otlpPort: number | null
  /** False for the default port, which may be taken. */
  readonly otlpPortGiven: boolean
  /** Base address of the collector for the app, without a trailing slash. */
  readonly collectorUrl: string
  /** The origins of the app; the collector gives their pages access. */
  readonly appOrigins: readonly string[]
  /** `null` when nothing is relayed. */
  readonly upstream: Dsn | typeof STAND_IN | null
  readonly furtherUpstreams: readonly Dsn[]
  /** The upstream of OTLP requests without a key; `null` for the one of `upstream`. */
  readonly otlpUpstream: UpstreamAddress | null
  /** `SENTRY_DSN`, when it is set but no setting relays to it; the start message reports that. */
  readonly ignoredSentryDsn: Dsn | null
  /** Further Origins that may send; `null` is that of sandboxed frames and of files. */
  readonly origins: readonly string[]
  readonly hosts: readonly string[]
  readonly passLimits: boolean
  /** Rate-limited errors wait until the limit ends, instead of being cut. */
  readonly holdErrors: boolean
  /** Relays the telemetry of Waystation's own app, too. */
  readonly relayOwn: boolean
  readonly trustForwardedFor: boolean
  /** The path at which the app's pages find the tunnel, besides `/tunnel`. */
  readonly tunnelPath: string
  /** The consent of visitors who have not chosen. */
  readonly consent: ConsentPolicy
  /** `on` removes secrets from relayed records; `report` only lists them. */
  readonly scrub: 'off' | 'report' | 'on'
  /** Removes secrets before records are stored, too. */
  readonly scrubStore: boolean
  readonly dataFolder: string | null
  /** `postgres://…` of a record that collectors share; `null` for a record in the data folder. */
  readonly store: string | null
  /** Accepts a store that may lose what it has acknowledged. */
  readonly allowWeakStore: boolean
  /** Budget of the store's database, in bytes; `null` for any size. */
  readonly storeBytes: number | null
  /** Among which pending records of an upstream are divided in the store. */
  readonly lanes: number
  /** The work that this collector does for the store's record; all without a store. */
  readonly roles: readonly Role[]
  /** Further folders with scripts and their source maps. */
  readonly sourceMaps: readonly string[]
  /** The disk budget of record and index together, in bytes. */
  readonly maxDisk: number
  /** Ms after which delivered records are deleted; `null` for never. */
  readonly maxAgeMs: number | null
  readonly sizeLimits: SizeLimits
  readonly token: string | undefined
  readonly lifecycle: 'static' | 'stream'
  readonly environment: string
  readonly release: string | undefined
}

interface EnvironmentProblem {
  readonly variable: string
  /** The value that was read; `null` for an unset or secret variable, `undefined` for an unknown name. */
  readonly value: string | null | undefined
  /** The valid values; for an unknown name the nearest known one. */
  readonly valid: string
}

/** The error message of one problem. */
export function explainProblem({ variable, value, valid }: EnvironmentProblem): string {
  if (value === undefined)
    return `${variable} is not a variable of Waystation; did you mean ${valid}? Correct the name or unset it.`
  return `${variable} must be ${valid}${value === null ? '' : `, got "${value}"`}.`
}

const schema = z.object({
  PORT: port(DEFAULT_APP_PORT),
  WAYSTATION_HOST: host.optional(),
  WAYSTATION_PORT: port(DEFAULT_COLLECTOR_PORT),
  WAYSTATION_OTLP_PORT: portOrOff(DEFAULT_OTLP_PORT),
  WAYSTATION_COLLECTOR_URL: httpUrl.optional(),
  WAYSTATION_APP_URL: httpUrlOrOff.optional(),
  WAYSTATION_UPSTREAM: z.union([z.literal(STAND_IN), dsn]).optional(),
  WAYSTATION_DSNS: list(parseDsn, 'Sentry DSNs, separated by commas'),
  WAYSTATION_OTLP_UPSTREAM: upstreamAddress.optional(),
  WAYSTATION_RELAY: onOff(false),
  SENTRY_DSN: z.string().optional(),
  /** The build of Waystation's own app; its supervisor sets it. */
  WAYSTATION_DIST: z.string().optional(),
  /** Read by apps on the path; the collector ignores it. */
  WAYSTATION_DSN: z.string().optional(),
  /** Read by the kit within `waystation run`; the collector ignores it. */
  WAYSTATION_RUN_FOLDER: z.string().optional(),
  WAYSTATION_ORIGINS: list(origin, 'origins such as https://app.test, separated by commas'),
  WAYSTATION_NULL_ORIGIN: onOff(false),
  WAYSTATION_HOSTS: list(hostAlone, 'host names without a port, separated by commas'),
  WAYSTATION_PASS_LIMITS: onOff(true),
  WAYSTATION_HOLD_ERRORS: onOff(false),
  WAYSTATION_RELAY_OWN: onOff(false),
  WAYSTATION_TRUST_FORWARDED_FOR: onOff(false),
  WAYSTATION_TUNNEL_PATH: z
    .string()
    .regex(
      /^\/(?:tunnel|t\/[A-Za-z0-9_-]{1,64})$/,
      '/tunnel or /t/NAME, with a name of 1 to 64 letters, digits, _ and -',
    )
    .default('/tunnel'),
  WAYSTATION_CONSENT: z.enum(CONSENTS, 'off, kept, errors or all').default('all'),
  WAYSTATION_CONSENT_SIGNAL: z.enum(['off', 'errors', 'ignore'], 'off, errors or ignore').default('errors'),
  WAYSTATION_SCRUB: z.enum(['off', 'report', 'on'], 'off, report or on').default('off'),
  WAYSTATION_SCRUB_STORE: onOff(false),
  WAYSTATION_DATA: z.string().optional(),
  WAYSTATION_STORE: postgresUrl.optional(),
  WAYSTATION_STORE_WEAK: onOff(false),
  WAYSTATION_STORE_SIZE: storeSize,
  WAYSTATION_LANES: lanes,
  WAYSTATION_ROLES: roles,
  WAYSTATION_SOURCE_MAPS: list(folder, 'folders with builds, separated by commas'),
  WAYSTATION_MAX_DISK: maxDisk,
  WAYSTATION_MAX_AGE: maxAge,
  WAYSTATION_LIMITS: sizeLimits,
  WAYSTATION_TOKEN: z.string().min(16, 'at least 16 characters long, because it protects your telemetry').optional(),
  WAYSTATION_LIFECYCLE: z.enum(['static', 'stream'], 'static or stream').default('static'),
  SENTRY_ENVIRONMENT: z.string().max(64, 'at most 64 characters long').default('production'),
  SENTRY_RELEASE: z.string().max(250, 'at most 250 characters long').optional(),
})

/** Variables of builds and tests, which this schema does not parse. */
const OTHER_VARIABLES = /^WAYSTATION_(?:BUILD|CHROMIUM|TSCONFIG|E2E_[A-Z_]+|TEST_[A-Z_]+|FAULT[A-Z_]*)$/

/** Never printed: terminals and logs keep their output. */
const SECRET = new Set(['WAYSTATION_TOKEN', 'WAYSTATION_STORE'])

/**
 * Parses the environment with one schema. An empty variable counts as unset. An unknown WAYSTATION_ variable is a problem,
 * because a mistyped setting would silently do nothing.
 * @returns the settings, or all problems
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): Result<Environment, readonly EnvironmentProblem[]> {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const unknown = unknownVariables(given)
  const parsed = schema.safeParse(given)
  if (!parsed.success || unknown.length > 0) {
    const issues = parsed.success ? [] : parsed.error.issues
    const invalid = issues.map((issue) => {
      const variable = String(issue.path[0])
      const value = SECRET.has(variable) ? null : withoutSecret(String(given[variable]))
      return { variable, value, valid: deepestMessage(issue) }
    })
    return fail([...unknown, ...invalid])
  }
  const value = parsed.data
  if (value.WAYSTATION_SCRUB_STORE && value.WAYSTATION_SCRUB !== 'on') {
    const valid = `off unless WAYSTATION_SCRUB is on (it is ${value.WAYSTATION_SCRUB})`
    return fail([{ variable: 'WAYSTATION_SCRUB_STORE', value: 'on', valid }])
  }
  const sentryDsn = value.SENTRY_DSN === undefined ? null : parseDsn(value.SENTRY_DSN)
  if (value.WAYSTATION_RELAY && value.WAYSTATION_UPSTREAM === undefined && !sentryDsn?.ok) {
    const why = sentryDsn?.ok === false ? sentryDsn.error : 'it is not set'
    const sent = value.SENTRY_DSN === undefined ? null : withoutSecret(value.SENTRY_DSN)
    return fail([
      { variable: 'SENTRY_DSN', value: sent, valid: `a Sentry DSN, because WAYSTATION_RELAY=on relays to it (${why})` },
    ])
  }
  if (value.WAYSTATION_STORE !== undefined && value.WAYSTATION_UPSTREAM === STAND_IN) {
    const valid = `a DSN, or unset, while WAYSTATION_STORE is set: the mock upstream belongs to one collector`
    return fail([{ variable: 'WAYSTATION_UPSTREAM', value: STAND_IN, valid }])
  }
  if (value.WAYSTATION_STORE === undefined && value.WAYSTATION_LANES > 1) {
    const valid = '1, or unset, while WAYSTATION_STORE is unset: lanes divide the pending records of several collectors'
    return fail([{ variable: 'WAYSTATION_LANES', value: String(value.WAYSTATION_LANES), valid }])
  }
  if (value.WAYSTATION_STORE === undefined && !hasAllRoles(value.WAYSTATION_ROLES)) {
    const valid =
      'unset, or all of its roles, while WAYSTATION_STORE is unset: nobody shares a record in the data folder'
    return fail([{ variable: 'WAYSTATION_ROLES', value: value.WAYSTATION_ROLES.join(','), valid }])
  }
  const relayedSentryDsn = value.WAYSTATION_RELAY && sentryDsn?.ok ? sentryDsn.value : null
  const upstream = value.WAYSTATION_UPSTREAM ?? relayedSentryDsn
  const further = distinctDsns(upstream === STAND_IN ? LOCAL_KEY : (upstream ?? null), value.WAYSTATION_DSNS)
  if (!further.ok)
    return fail([
      { variable: 'WAYSTATION_DSNS', value: withoutSecret(String(given.WAYSTATION_DSNS)), valid: further.error },
    ])
  const appUrl = value.WAYSTATION_APP_URL ?? `http://localhost:${value.PORT}`
  return succeed({
    appPort: value.PORT,
    collectorHost: value.WAYSTATION_HOST ?? null,
    collectorPort: value.WAYSTATION_PORT,
    otlpPort: value.WAYSTATION_OTLP_PORT,
    otlpPortGiven: given.WAYSTATION_OTLP_PORT !== undefined,
    collectorUrl:
      value.WAYSTATION_COLLECTOR_URL ?? `http://${reachedAt(value.WAYSTATION_HOST)}:${value.WAYSTATION_PORT}`,
    appOrigins: appUrl === 'off' ? [] : loopbackTwins(appUrl),
    upstream,
    furtherUpstreams: further.value,
    otlpUpstream: value.WAYSTATION_OTLP_UPSTREAM ?? null,
    ignoredSentryDsn: upstream === null && sentryDsn?.ok ? sentryDsn.value : null,
    origins: [...value.WAYSTATION_ORIGINS, ...(value.WAYSTATION_NULL_ORIGIN ? ['null'] : [])],
    hosts: value.WAYSTATION_HOSTS,
    passLimits: value.WAYSTATION_PASS_LIMITS,
    holdErrors: value.WAYSTATION_HOLD_ERRORS,
    relayOwn: value.WAYSTATION_RELAY_OWN,
    trustForwardedFor: value.WAYSTATION_TRUST_FORWARDED_FOR,
    tunnelPath: value.WAYSTATION_TUNNEL_PATH,
    consent: {
      byDefault: value.WAYSTATION_CONSENT,
      bySignal: value.WAYSTATION_CONSENT_SIGNAL === 'ignore' ? null : value.WAYSTATION_CONSENT_SIGNAL,
    },
    scrub: value.WAYSTATION_SCRUB,
    scrubStore: value.WAYSTATION_SCRUB_STORE,
    dataFolder: value.WAYSTATION_DATA ?? null,
    store: value.WAYSTATION_STORE ?? null,
    allowWeakStore: value.WAYSTATION_STORE_WEAK,
    storeBytes: value.WAYSTATION_STORE_SIZE,
    lanes: value.WAYSTATION_LANES,
    roles: value.WAYSTATION_ROLES,
    sourceMaps: [
      ...value.WAYSTATION_SOURCE_MAPS,
      ...(value.WAYSTATION_DIST === undefined ? [] : [value.WAYSTATION_DIST]),
    ],
    maxDisk: value.WAYSTATION_MAX_DISK,
    maxAgeMs: value.WAYSTATION_MAX_AGE,
    sizeLimits: value.WAYSTATION_LIMITS,
    token: value.WAYSTATION_TOKEN,
    lifecycle: value.WAYSTATION_LIFECYCLE,
    environment: value.SENTRY_ENVIRONMENT,
    release: value.SENTRY_RELEASE,
  })
}

/** Key and project of each configured upstream; empty when nothing is relayed. */
export function relayedProjects(settings: Environment): readonly Pick<Dsn, 'publicKey' | 'projectId'>[] {
  const first = settings.upstream === STAND_IN ? LOCAL_KEY : settings.upstream
  return [...(first === null ? [] : [first]), ...settings.furtherUpstreams]
}

/** Compares key and project exactly. Without an upstream every project is accepted. */
export function acceptsProject(settings: Environment, sent: Pick<Dsn, 'publicKey' | 'projectId'>): boolean {
  const projects = relayedProjects(settings)
  return projects.length === 0 || projects.some((project) => sameProject(project, sent))
}

/** The project of a request address without one: the project of its key, else the first configured project. */
export function projectOfKey(settings: Environment, publicKey: string): string {
  const projects = relayedProjects(settings)
  const own = projects.find((project) => project.publicKey === publicKey) ?? projects[0]
  return (own ?? localDsn(settings.collectorUrl)).projectId
}

/**
 * The upstream of OTLP requests without a key, where it is none of the configured projects. Its records have the key and
 * project `KEYLESS`, so that envelopes of the local DSN never go there.
 */
export function separateOtlpUpstream(settings: Environment): Upstream | null {
  const { otlpUpstream: address } = settings
  return address === null || otlpProject(settings) !== undefined ? null : { ...KEYLESS, address }
}

/** The configured upstream that `WAYSTATION_OTLP_UPSTREAM` names again; undefined where it names another address. */
function otlpProject({ otlpUpstream, upstream, furtherUpstreams }: Environment): Dsn | undefined {
  if (otlpUpstream === null || !isDsn(otlpUpstream)) return undefined
  const all = [...(upstream === null || upstream === STAND_IN ? [] : [upstream]), ...furtherUpstreams]
  return all.find((dsn) => formatDsn(dsn) === formatDsn(otlpUpstream))
}

/** True when several upstreams are configured, and no setting selects one for OTLP requests without a key. */
export const keepsKeyless = (settings: Environment): boolean =>
  settings.otlpUpstream === null && relayedProjects(settings).length > 1

/**
 * Key and project of OTLP requests without a key: those of the local DSN; with `WAYSTATION_OTLP_UPSTREAM` those of that
 * upstream; `KEYLESS` where nothing selects one of several upstreams.
 */
export function keylessProject(settings: Environment): { readonly publicKey: string; readonly project: string } {
  const selected = keepsKeyless(settings) ? KEYLESS : (otlpProject(settings) ?? separateOtlpUpstream(settings))
  const { publicKey, projectId } = selected ?? relayedProjects(settings)[0] ?? localDsn(settings.collectorUrl)
  return { publicKey, project: projectId }
}

/** The DSN for SDKs on this machine; the start message prints it first. */
export const ownLocalDsn = (settings: Environment): string =>
  formatDsn(localDsn(settings.collectorUrl, relayedProjects(settings)[0]))

function loopbackTwins(appUrl: string): readonly string[] {
  const url = new URL(appUrl)
  if (url.hostname !== 'localhost') return [url.origin]
  const port = url.port === '' ? '' : `:${url.port}`
  return ['localhost', '127.0.0.1', '[::1]'].map((name) => `${url.protocol}//${name}${port}`)
}

/** Old DSNs contain a secret after the key, and addresses a password. */
const withoutSecret = (text: string): string => text.replaceAll(/(:\/\/[^:@/\s]*):[^@/\s]*@/g, '$1:…@')

/** The issue of a union only says `Invalid input`; the issue of its branch is better. */
function deepestMessage(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  const inner = issue.errors.flat().find((one) => one.code === 'custom')
  return inner === undefined ? `a Sentry DSN, or ${STAND_IN}` : `${inner.message}, or ${STAND_IN}`
}

function unknownVariables(given: Readonly<Record<string, unknown>>): readonly EnvironmentProblem[] {
  const known = Object.keys(schema.shape)
  return Object.keys(given)
    .filter((name) => name.startsWith('WAYSTATION_') && !known.includes(name) && !OTHER_VARIABLES.test(name))
    .map((variable) => ({ variable, value: undefined, valid: nearest(variable, known) }))
}

/**
 * Removes duplicates. Two DSNs with the same key and project but different addresses are an error: an envelope contains only
 * key and project, so it would be relayed to both.
 * @param first the first upstream; it is not part of the result
 */
function distinctDsns(
  first: Pick<Dsn, 'publicKey' | 'projectId'> | null,
  others: readonly Dsn[],
): Result<readonly Dsn[], string> {
  const distinct: Dsn[] = []
  for (const dsn of others) {
    const same = [...(first === null ? [] : [first]), ...distinct].find((one) => sameProject(one, dsn))
    if (same === undefined) distinct.push(dsn)
    else if (addressOf(same) !== addressOf(dsn))
      return fail(
        `one DSN per key and project, but ${addressOf(same)} and ${addressOf(dsn)} share key ${dsn.publicKey} and project ${dsn.projectId}`,
      )
  }
  return succeed(distinct)
}

const addressOf = (dsn: Pick<Dsn, 'publicKey' | 'projectId'> | Dsn): string =>
  'host' in dsn ? formatDsn(dsn) : 'the stand-in'
