import * as z from 'zod'
import { type Dsn, formatDsn, LOCAL_KEY, localDsn, parseDsn, sameProject } from '../protocol/dsn'
import type { Limits } from '../protocol/limits'
import { fail, type Result, succeed } from '../protocol/result'
import { dsnsApart } from './dsns-apart'
import { disk, dsn, host, hostAlone, httpUrl, limits, list, onOff, origin, port } from './fields'
import { reachedAt } from './host'
import { nearest } from './nearest'

const DEFAULT_APP_PORT = 3000
/** Where a Sentry SDK looks when its `spotlight` option is on. */
const DEFAULT_COLLECTOR_PORT = 8969
/** `WAYSTATION_UPSTREAM=stand-in`: the collector plays upstream itself, on a free loopback port. */
export const STAND_IN = 'stand-in'

/** What the environment says, parsed once at start, for app and collector alike. */
export interface Environment {
  readonly appPort: number
  readonly appPortGiven: boolean
  readonly collectorHost: string | null
  readonly collectorPort: number
  /** Base address under which the app reaches the collector, without a trailing slash. */
  readonly collectorUrl: string
  /** The app's own origins, known to the collector so that its pages may look. */
  readonly appOrigins: readonly string[]
  /** `null` when local only; `stand-in` when the collector plays upstream. */
  readonly upstream: Dsn | typeof STAND_IN | null
  readonly furtherUpstreams: readonly Dsn[]
  /** `SENTRY_DSN` is set but nothing decided to relay: the start block says so. */
  readonly ignoredSentryDsn: Dsn | null
  readonly origins: readonly string[]
  readonly hosts: readonly string[]
  readonly passLimits: boolean
  /** Errors wait for the end of a limit, where they would else be cut. */
  readonly holdErrors: boolean
  readonly trustForwardedFor: boolean
  /** Are secrets taken out of what is relayed, or is only told which would be? */
  readonly scrub: 'off' | 'report' | 'on'
  /** They are taken out before it is stored, too. */
  readonly scrubStore: boolean
  readonly dataFolder: string | null
  /** Bytes of the disk that record and rows may use. */
  readonly maxDisk: number
  readonly limits: Limits
  readonly token: string | undefined
  readonly lifecycle: 'static' | 'stream'
  readonly environment: string
  readonly release: string | undefined
}

export interface EnvironmentProblem {
  readonly variable: string
  /** Its value; `null` where no variable has this name. */
  readonly read: string | null
  /** What the value had to be, or the name that was meant. */
  readonly meant: string
}

const schema = z.object({
  PORT: port(DEFAULT_APP_PORT),
  WAYSTATION_HOST: host.optional(),
  WAYSTATION_PORT: port(DEFAULT_COLLECTOR_PORT),
  WAYSTATION_COLLECTOR_URL: httpUrl.optional(),
  WAYSTATION_APP_URL: httpUrl.optional(),
  WAYSTATION_UPSTREAM: z.union([z.literal(STAND_IN), dsn]).optional(),
  WAYSTATION_DSNS: list((text) => {
    const parsed = parseDsn(text)
    return parsed.ok ? parsed.value : `!${parsed.error}`
  }, 'Sentry DSNs, separated by commas'),
  WAYSTATION_RELAY: onOff(false),
  SENTRY_DSN: z.string().optional(),
  WAYSTATION_ORIGINS: list<string>(origin, 'origins such as https://app.test, separated by commas'),
  WAYSTATION_HOSTS: list<string>(hostAlone, 'host names without a port, separated by commas'),
  WAYSTATION_PASS_LIMITS: onOff(true),
  WAYSTATION_HOLD_ERRORS: onOff(false),
  WAYSTATION_TRUST_FORWARDED_FOR: onOff(false),
  WAYSTATION_SCRUB: z.enum(['off', 'report', 'on'], 'off, report or on').default('off'),
  WAYSTATION_SCRUB_STORE: onOff(false),
  WAYSTATION_DATA: z.string().optional(),
  WAYSTATION_MAX_DISK: disk,
  WAYSTATION_LIMITS: limits,
  WAYSTATION_TOKEN: z.string().min(16, 'at least 16 characters, for it guards what you recorded').optional(),
  WAYSTATION_LIFECYCLE: z.enum(['static', 'stream'], 'static or stream').default('static'),
  SENTRY_ENVIRONMENT: z.string().max(64, 'at most 64 characters').default('production'),
  SENTRY_RELEASE: z.string().max(250, 'at most 250 characters').optional(),
})

/** Read by builds and tests, not by what is started here. */
const ELSEWHERE = /^WAYSTATION_(?:BUILD|CHROMIUM|DIST|TSCONFIG|E2E_[A-Z_]+|TEST_[A-Z_]+|FAULT[A-Z_]*)$/

/** Never printed back: a token in a terminal's scroll-back is a token lost. */
const SECRET = new Set(['WAYSTATION_TOKEN'])

/** A mistyped name would be a setting that silently does nothing. */
function misnamed(given: Readonly<Record<string, unknown>>): readonly EnvironmentProblem[] {
  const known = Object.keys(schema.shape)
  return Object.keys(given)
    .filter((name) => name.startsWith('WAYSTATION_') && !known.includes(name) && !ELSEWHERE.test(name))
    .map((variable) => ({ variable, read: null, meant: nearest(variable, known) }))
}

/**
 * Parses the environment by one schema. An empty variable counts as unset; a name that begins with WAYSTATION_ and is
 * none of ours is a problem too.
 * @returns the settings, or every problem: the variable, what was read, what was meant.
 */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
): Result<Environment, readonly EnvironmentProblem[]> {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const strangers = misnamed(given)
  const parsed = schema.safeParse(given)
  if (!parsed.success || strangers.length > 0) {
    const issues = parsed.success ? [] : parsed.error.issues
    const unusable = issues.map((issue) => {
      const variable = String(issue.path[0])
      return {
        variable,
        read: SECRET.has(variable) ? '(secret)' : withoutSecret(String(given[variable])),
        meant: deepestMessage(issue),
      }
    })
    return fail([...strangers, ...unusable])
  }
  const value = parsed.data
  if (value.WAYSTATION_SCRUB_STORE && value.WAYSTATION_SCRUB !== 'on') {
    // Who has secrets taken out of what is stored wants none of them relayed.
    const meant = `off, or on beside WAYSTATION_SCRUB=on, which is ${value.WAYSTATION_SCRUB}`
    return fail([{ variable: 'WAYSTATION_SCRUB_STORE', read: 'on', meant }])
  }
  const sentryDsn = value.SENTRY_DSN === undefined ? null : parseDsn(value.SENTRY_DSN)
  if (value.WAYSTATION_RELAY && value.WAYSTATION_UPSTREAM === undefined && !sentryDsn?.ok) {
    const why = sentryDsn?.ok === false ? sentryDsn.error : 'it is not set'
    const meant = `a Sentry DSN, for WAYSTATION_RELAY=on relays to it (${why})`
    return fail([{ variable: 'SENTRY_DSN', read: withoutSecret(value.SENTRY_DSN ?? ''), meant }])
  }
  const relayedSentryDsn = value.WAYSTATION_RELAY && sentryDsn?.ok ? sentryDsn.value : null
  const upstream = value.WAYSTATION_UPSTREAM ?? relayedSentryDsn
  const apart = dsnsApart(upstream === STAND_IN ? LOCAL_KEY : (upstream ?? null), value.WAYSTATION_DSNS)
  if (!apart.ok) {
    const read = withoutSecret(String(given.WAYSTATION_DSNS))
    return fail([{ variable: 'WAYSTATION_DSNS', read, meant: apart.error }])
  }
  const appUrl = value.WAYSTATION_APP_URL ?? `http://localhost:${value.PORT}`
  return succeed({
    appPort: value.PORT,
    appPortGiven: given.PORT !== undefined,
    collectorHost: value.WAYSTATION_HOST ?? null,
    collectorPort: value.WAYSTATION_PORT,
    collectorUrl:
      value.WAYSTATION_COLLECTOR_URL ?? `http://${reachedAt(value.WAYSTATION_HOST)}:${value.WAYSTATION_PORT}`,
    appOrigins: loopbackTwins(appUrl),
    upstream,
    furtherUpstreams: apart.value,
    ignoredSentryDsn: upstream === null && sentryDsn?.ok ? sentryDsn.value : null,
    origins: value.WAYSTATION_ORIGINS,
    hosts: value.WAYSTATION_HOSTS,
    passLimits: value.WAYSTATION_PASS_LIMITS,
    holdErrors: value.WAYSTATION_HOLD_ERRORS,
    trustForwardedFor: value.WAYSTATION_TRUST_FORWARDED_FOR,
    scrub: value.WAYSTATION_SCRUB,
    scrubStore: value.WAYSTATION_SCRUB_STORE,
    dataFolder: value.WAYSTATION_DATA ?? null,
    maxDisk: value.WAYSTATION_MAX_DISK,
    limits: value.WAYSTATION_LIMITS,
    token: value.WAYSTATION_TOKEN,
    lifecycle: value.WAYSTATION_LIFECYCLE,
    environment: value.SENTRY_ENVIRONMENT,
    release: value.SENTRY_RELEASE,
  })
}

/** One sentence a problem, ready for a terminal. */
export const explainProblem = ({ variable, read, meant }: EnvironmentProblem): string =>
  read === null
    ? `${variable} is no variable of Waystation: the nearest is ${meant}; correct the name, or unset it.`
    : `${variable}=${read} cannot be used: meant is ${meant}.`

/** Key and project of every envelope we may relay; empty when local only, where every key is admitted. */
export function relayedProjects(settings: Environment): readonly Pick<Dsn, 'publicKey' | 'projectId'>[] {
  const first = settings.upstream === STAND_IN ? LOCAL_KEY : settings.upstream
  return [...(first === null ? [] : [first]), ...settings.furtherUpstreams]
}

/** Admission by exact key and project; when local only everybody is admitted. */
export function acceptsProject(settings: Environment, sent: Pick<Dsn, 'publicKey' | 'projectId'>): boolean {
  const projects = relayedProjects(settings)
  return projects.length === 0 || projects.some((project) => sameProject(project, sent))
}

/** The project that an address without one means: that of the key; when local only the one of the local DSN. */
export function projectOfKey(settings: Environment, publicKey: string): string {
  const projects = relayedProjects(settings)
  const own = projects.find((project) => project.publicKey === publicKey) ?? projects[0]
  return (own ?? localDsn(settings.collectorUrl)).projectId
}

/** The DSN that the app's own SDKs use and that the start block prints first. */
export const ownLocalDsn = (settings: Environment): string =>
  formatDsn(localDsn(settings.collectorUrl, relayedProjects(settings)[0]))

function loopbackTwins(appUrl: string): readonly string[] {
  const url = new URL(appUrl)
  if (url.hostname !== 'localhost') return [url.origin]
  const port = url.port === '' ? '' : `:${url.port}`
  return ['localhost', '127.0.0.1', '[::1]'].map((name) => `${url.protocol}//${name}${port}`)
}

/** Old DSNs hold a secret behind the key. */
const withoutSecret = (text: string): string => text.replaceAll(/(:\/\/[^:@/\s]*):[^@/\s]*@/g, '$1:…@')

/** A union reports `Invalid input`; the branch that came closest knows better. */
function deepestMessage(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  const inner = issue.errors.flat().find((one) => one.code === 'custom')
  return inner === undefined ? `stand-in, or a Sentry DSN` : `${inner.message}, or the word ${STAND_IN}`
}
