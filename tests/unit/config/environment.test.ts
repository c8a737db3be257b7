import { describe, expect, it } from 'vitest'
import {
  acceptsProject,
  type Environment,
  explainProblem,
  keepsKeyless,
  keylessProject,
  ownLocalDsn,
  projectOfKey,
  readEnvironment,
  relayedProjects,
  STAND_IN,
  separateOtlpUpstream,
} from '../../../lib/config/environment'
import { formatDsn } from '../../../lib/protocol/dsn'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { valueIn } from '../value-in'

const DSN = 'https://abc@o1.ingest.sentry.io/42'
const OTHER = 'https://def@sentry.test/7'

type Variables = Readonly<Record<string, string | undefined>>
const WITH_STAND_IN: Variables = { WAYSTATION_UPSTREAM: 'stand-in' }
const RELAY_ON: Variables = { WAYSTATION_RELAY: 'on', SENTRY_DSN: DSN }
const TWO_DSNS: Variables = { WAYSTATION_DSNS: `${DSN},${OTHER}` }

const settings = (variables: Variables): Environment => valueIn(readEnvironment(variables))

function messages(variables: Variables): readonly string[] {
  const read = readEnvironment(variables)
  if (read.ok) throw new Error('the settings were accepted')
  return read.error.map(explainProblem)
}

it('readEnvironment defaults to loopback, no upstream and the static lifecycle', () => {
  expect(settings({})).toEqual({
    appPort: 3000,
    collectorHost: null,
    collectorPort: 8969,
    otlpPort: 4318,
    otlpPortGiven: false,
    collectorUrl: 'http://127.0.0.1:8969',
    appOrigins: ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'],
    upstream: null,
    furtherUpstreams: [],
    otlpUpstream: null,
    ignoredSentryDsn: null,
    origins: [],
    hosts: [],
    passLimits: true,
    holdErrors: false,
    relayOwn: false,
    trustForwardedFor: false,
    tunnelPath: '/tunnel',
    consent: { byDefault: 'all', bySignal: 'errors' },
    scrub: 'off',
    scrubStore: false,
    dataFolder: null,
    store: null,
    allowWeakStore: false,
    storeBytes: null,
    lanes: 1,
    roles: ['intake', 'relay', 'query'],
    sourceMaps: [],
    maxDisk: 2 * 1024 ** 3,
    maxAgeMs: null,
    sizeLimits: SIZE_LIMITS,
    token: undefined,
    lifecycle: 'static',
    environment: 'production',
    release: undefined,
  })
})

it('readEnvironment treats an empty variable as unset', () => {
  const empty = { PORT: '', WAYSTATION_PORT: '', WAYSTATION_UPSTREAM: '', WAYSTATION_TOKEN: '' }
  expect(settings({ ...empty, SENTRY_DSN: '', SENTRY_ENVIRONMENT: '' })).toEqual(settings({}))
})

it('readEnvironment ignores variables of other programs, builds and tests', () => {
  const others = {
    WAYSTATION_BUILD: '/b',
    WAYSTATION_CHROMIUM: '/c',
    WAYSTATION_E2E_REPORT: 'on',
  }
  expect(settings({ PATH: '/bin', NODE_ENV: 'development', SENTRY_ORG: 'x', ...others })).toEqual(settings({}))
})

it.each([
  ['WAYSTATION_UPSTREM', 'WAYSTATION_UPSTREAM'],
  ['WAYSTATION_MAXDISK', 'WAYSTATION_MAX_DISK'],
  ['WAYSTATION_LIMIT', 'WAYSTATION_LIMITS'],
  ['WAYSTATION_ORIGIN', 'WAYSTATION_ORIGINS'],
])('readEnvironment rejects the unknown name %s with the nearest known one', (mistyped, nearest) => {
  expect(messages({ [mistyped]: 'hush' })).toEqual([
    `${mistyped} is not a variable of Waystation; did you mean ${nearest}? Correct the name or unset it.`,
  ])
  expect(settings({ [mistyped]: '' })).toEqual(settings({}))
})

describe('a setting', () => {
  it.each<[string, string, Partial<Environment>]>([
    ['PORT', '4000', { appPort: 4000 }],
    ['PORT', '0', { appPort: 0 }],
    ['PORT', '65535', { appPort: 65535 }],
    ['WAYSTATION_PORT', '9000', { collectorPort: 9000, collectorUrl: 'http://127.0.0.1:9000' }],
    ['WAYSTATION_HOST', '0.0.0.0', { collectorHost: '0.0.0.0', collectorUrl: 'http://127.0.0.1:8969' }],
    ['WAYSTATION_HOST', '::', { collectorHost: '::', collectorUrl: 'http://[::1]:8969' }],
    ['WAYSTATION_HOST', '[::1]', { collectorHost: '::1', collectorUrl: 'http://[::1]:8969' }],
    ['WAYSTATION_HOST', '192.168.1.5', { collectorHost: '192.168.1.5', collectorUrl: 'http://192.168.1.5:8969' }],
    ['WAYSTATION_HOST', 'Box.test', { collectorHost: 'box.test', collectorUrl: 'http://box.test:8969' }],
    ['WAYSTATION_COLLECTOR_URL', 'https://box.test/way/', { collectorUrl: 'https://box.test/way' }],
    ['WAYSTATION_APP_URL', 'https://app.test/', { appOrigins: ['https://app.test'] }],
    ['WAYSTATION_APP_URL', 'http://127.0.0.1:4000', { appOrigins: ['http://127.0.0.1:4000'] }],
    [
      'WAYSTATION_ORIGINS',
      'https://a.test, http://b.test:8080/ ,',
      { origins: ['https://a.test', 'http://b.test:8080'] },
    ],
    ['WAYSTATION_ORIGINS', 'HTTPS://A.test:443', { origins: ['https://a.test'] }],
    ['WAYSTATION_SOURCE_MAPS', '../shop, /srv/builds', { sourceMaps: ['../shop', '/srv/builds'] }],
    ['WAYSTATION_DIST', '/w/.build/next', { sourceMaps: ['/w/.build/next'] }],
    ['WAYSTATION_HOSTS', 'Dev.box,10.0.0.7, [fd00::1]', { hosts: ['dev.box', '10.0.0.7', 'fd00::1'] }],
    ['WAYSTATION_PASS_LIMITS', 'off', { passLimits: false }],
    ['WAYSTATION_PASS_LIMITS', 'ON', { passLimits: true }],
    ['WAYSTATION_PASS_LIMITS', '0', { passLimits: false }],
    ['WAYSTATION_HOLD_ERRORS', 'on', { holdErrors: true }],
    ['WAYSTATION_RELAY_OWN', 'on', { relayOwn: true }],
    ['WAYSTATION_NULL_ORIGIN', 'on', { origins: ['null'] }],
    ['WAYSTATION_TRUST_FORWARDED_FOR', 'yes', { trustForwardedFor: true }],
    ['WAYSTATION_TUNNEL_PATH', '/t/k3-x_9', { tunnelPath: '/t/k3-x_9' }],
    ['WAYSTATION_CONSENT', 'kept', { consent: { byDefault: 'kept', bySignal: 'errors' } }],
    ['WAYSTATION_CONSENT_SIGNAL', 'ignore', { consent: { byDefault: 'all', bySignal: null } }],
    ['WAYSTATION_CONSENT_SIGNAL', 'off', { consent: { byDefault: 'all', bySignal: 'off' } }],
    ['WAYSTATION_SCRUB', 'report', { scrub: 'report', scrubStore: false }],
    ['WAYSTATION_SCRUB', 'on', { scrub: 'on', scrubStore: false }],
    ['WAYSTATION_SCRUB_STORE', 'off', { scrubStore: false }],
    ['WAYSTATION_DATA', '/var/way', { dataFolder: '/var/way' }],
    ['WAYSTATION_STORE', 'postgres://us:pw@db/way', { store: 'postgres://us:pw@db/way' }],
    ['WAYSTATION_STORE', 'postgresql:///way?host=/run/pg', { store: 'postgresql:///way?host=/run/pg' }],
    ['WAYSTATION_STORE_WEAK', '1', { allowWeakStore: true }],
    ['WAYSTATION_STORE_SIZE', '100GiB', { storeBytes: 100 * 1024 ** 3 }],
    ['WAYSTATION_LANES', '1', { lanes: 1 }],
    ['WAYSTATION_MAX_DISK', '16MiB', { maxDisk: 16 * 1024 ** 2 }],
    ['WAYSTATION_MAX_DISK', '1.5 GiB', { maxDisk: 1.5 * 1024 ** 3 }],
    ['WAYSTATION_MAX_AGE', '12h', { maxAgeMs: 12 * 3_600_000 }],
    ['WAYSTATION_MAX_AGE', '4 W', { maxAgeMs: 28 * 86_400_000 }],
    [
      'WAYSTATION_LIMITS',
      'event=2MiB, items=500',
      { sizeLimits: { ...SIZE_LIMITS, event: 2 * 1024 ** 2, items: 500 } },
    ],
    ['WAYSTATION_LIMITS', ',', { sizeLimits: SIZE_LIMITS }],
    ['WAYSTATION_TOKEN', 'sixteen-letters!', { token: 'sixteen-letters!' }],
    ['WAYSTATION_LIFECYCLE', 'stream', { lifecycle: 'stream' }],
    ['SENTRY_ENVIRONMENT', 'staging', { environment: 'staging' }],
    ['SENTRY_RELEASE', 'app@1', { release: 'app@1' }],
  ])('reads %s=%s', (name, value, expected) => {
    expect(settings({ [name]: value })).toMatchObject(expected)
  })

  it.each<[string, string, string]>([
    ['PORT', '65536', 'a port number from 0 (any free one) to 65535'],
    ['PORT', '-1', 'a port number'],
    ['PORT', '3000.5', 'a port number'],
    ['PORT', 'http', 'a port number'],
    ['WAYSTATION_PORT', ' 80', 'a port number'],
    ['WAYSTATION_PORT', '1e3', 'a port number'],
    ['WAYSTATION_HOST', 'http://box.test', 'a host name or address to listen on, without a port'],
    ['WAYSTATION_HOST', 'localhost:8969', 'without a port'],
    ['WAYSTATION_HOST', '[::1', 'a host name or address'],
    ['WAYSTATION_COLLECTOR_URL', '127.0.0.1:8969', 'an address such as http://127.0.0.1:8969'],
    ['WAYSTATION_COLLECTOR_URL', 'ftp://box.test', 'an address such as'],
    ['WAYSTATION_APP_URL', 'app.test', 'an address such as'],
    [
      'WAYSTATION_UPSTREAM',
      'standin',
      'a Sentry DSN ("standin" is not a URL; a DSN looks like https://PUBLIC_KEY@HOST/PROJECT_ID), or stand-in',
    ],
    ['WAYSTATION_UPSTREAM', 'https://o1.ingest.sentry.io/42', 'no public key before the @'],
    ['WAYSTATION_DSNS', `${DSN},nonsense`, 'Sentry DSNs, separated by commas ("nonsense" is not a URL'],
    ['WAYSTATION_RELAY', 'maybe', 'on or off'],
    ['WAYSTATION_PASS_LIMITS', '2', 'on or off'],
    ['WAYSTATION_HOLD_ERRORS', 'errors', 'on or off'],
    ['WAYSTATION_TRUST_FORWARDED_FOR', 'oui', 'on or off'],
    ['WAYSTATION_SCRUB', 'true', 'off, report or on'],
    ['WAYSTATION_SCRUB_STORE', 'always', 'on or off'],
    ['WAYSTATION_SCRUB_STORE', 'on', 'off unless WAYSTATION_SCRUB is on (it is off)'],
    ['WAYSTATION_ORIGINS', 'app.test', '"app.test" is not an origin'],
    ['WAYSTATION_ORIGINS', 'https://app.test/path', '"https://app.test/path" has more parts than an origin'],
    ['WAYSTATION_ORIGINS', 'https://a@app.test', 'has more parts than an origin'],
    ['WAYSTATION_ORIGINS', 'https://a.test?', 'has more parts than an origin'],
    ['WAYSTATION_ORIGINS', 'null', '"null" is not an origin'],
    ['WAYSTATION_ORIGINS', 'file:///', 'is not an origin of http or https'],
    ['WAYSTATION_ORIGINS', '*', '"*" is not an origin'],
    ['WAYSTATION_SOURCE_MAPS', 'dist,/', '"/" is the root of the file system'],
    ['WAYSTATION_HOSTS', 'dev.box:3000', '"dev.box:3000" is not a host name without a port'],
    ['WAYSTATION_HOSTS', 'http://dev.box', 'is not a host name without a port'],
    ['WAYSTATION_HOSTS', '*', 'is not a host name without a port'],
    ['WAYSTATION_MAX_DISK', '16777215', 'a size from 16MiB, such as 2GiB'],
    ['WAYSTATION_MAX_DISK', 'lots', 'a size from 16MiB'],
    ['WAYSTATION_MAX_AGE', '59m', 'an age from 1h to 3650d, such as 12h, 7d or 4w'],
    ['WAYSTATION_MAX_AGE', '3651d', 'an age from 1h to 3650d'],
    ['WAYSTATION_MAX_AGE', '0d', 'an age from 1h'],
    [
      'WAYSTATION_LIMITS',
      'events=2MiB',
      'limits such as event=2MiB,items=500 (unknown limit "events"; the nearest is event; known are wire, decoded,',
    ],
    ['WAYSTATION_LIMITS', 'event=big', 'event must be a size such as 2MiB, got "big"'],
    ['WAYSTATION_LIMITS', 'items=2MiB', 'items must be a whole number from 1, got "2MiB"'],
    ['WAYSTATION_LIMITS', 'event', 'event must be a size such as 2MiB, got ""'],
    ['WAYSTATION_LIFECYCLE', 'streamed', 'static or stream'],
    ['SENTRY_ENVIRONMENT', 'x'.repeat(65), 'at most 64 characters long'],
    ['SENTRY_RELEASE', 'x'.repeat(251), 'at most 250 characters long'],
  ])('%s=%s is rejected with what is valid and the value', (name, value, valid) => {
    const [message, ...more] = messages({ [name]: value })
    expect(more).toEqual([])
    expect(message).toMatch(new RegExp(`^${name} must be `))
    expect(message).toContain(valid)
    expect(message?.endsWith(`, got "${value}".`)).toBe(true)
  })

  it('reports all problems at once', () => {
    const read = readEnvironment({ PORT: 'x', WAYSTATION_LIFECYCLE: 'y', WAYSTATION_ORIGINS: 'z' })
    expect(!read.ok && read.error.map((problem) => problem.variable).sort()).toEqual([
      'PORT',
      'WAYSTATION_LIFECYCLE',
      'WAYSTATION_ORIGINS',
    ])
  })

  it.each([
    ['query', ['query']],
    ['relay, intake', ['intake', 'relay']],
    ['query,relay,intake,query', ['intake', 'relay', 'query']],
  ])('parses WAYSTATION_ROLES=%s', (text, roles) => {
    expect(settings({ WAYSTATION_STORE: 'postgres://db/way', WAYSTATION_ROLES: text })).toMatchObject({ roles })
  })

  it('refuses an unknown role, no role, and a part of the roles without a shared record', () => {
    const of = (text: string) => messages({ WAYSTATION_STORE: 'postgres://db/way', WAYSTATION_ROLES: text })
    expect(of('intake,relais')).toEqual([
      'WAYSTATION_ROLES must be one or more of intake, relay, query, separated by commas ("relais" is none of them), got "intake,relais".',
    ])
    expect(of(',')).toEqual([
      'WAYSTATION_ROLES must be one or more of intake, relay, query, separated by commas ("" is none of them), got ",".',
    ])
    expect(messages({ WAYSTATION_ROLES: 'intake,relay' })).toEqual([
      'WAYSTATION_ROLES must be unset, or all of its roles, while WAYSTATION_STORE is unset: nobody shares a record in the data folder, got "intake,relay".',
    ])
    expect(settings({ WAYSTATION_ROLES: 'query,relay,intake' }).store).toBeNull()
  })

  it('accepts WAYSTATION_SCRUB_STORE only with WAYSTATION_SCRUB=on', () => {
    expect(settings({ WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' })).toMatchObject({ scrubStore: true })
    expect(messages({ WAYSTATION_SCRUB: 'report', WAYSTATION_SCRUB_STORE: '1' })).toEqual([
      'WAYSTATION_SCRUB_STORE must be off unless WAYSTATION_SCRUB is on (it is report), got "on".',
    ])
  })

  it('accepts several lanes only with a shared record', () => {
    expect(settings({ WAYSTATION_STORE: 'postgres://db/way', WAYSTATION_LANES: '16' })).toMatchObject({ lanes: 16 })
    expect(messages({ WAYSTATION_LANES: '2' })).toEqual([
      'WAYSTATION_LANES must be 1, or unset, while WAYSTATION_STORE is unset: lanes divide the pending records of several collectors, got "2".',
    ])
    for (const value of ['0', '17', '-1', '1.5', '4 ', 'many'])
      expect(messages({ WAYSTATION_STORE: 'postgres://db/way', WAYSTATION_LANES: value })).toEqual([
        `WAYSTATION_LANES must be a number from 1 to 16, got "${value}".`,
      ])
  })

  it('prints a DSN without its secret', () => {
    const read = readEnvironment({ WAYSTATION_UPSTREAM: 'https://key:hush@sentry.test/none' })
    expect(read.ok ? '' : read.error.map(explainProblem).join()).toContain('https://key:…@sentry.test/none')
  })

  it.each([
    ['mysql://db/way', 'the URL of a database of PostgreSQL'],
    ['postgres://us:pw-word@db/', 'the URL of a database of PostgreSQL'],
    ['postgres://us:pw-word@db/way?sslmode=prefer', 'a URL whose sslmode is disable, require, verify-ca, verify-full'],
    ['postgres://us:pw-word@db/way?sslmode=verify-ca', 'verify-ca needs sslrootcert=FILE'],
    ['postgres://us:pw-word@a,b/way', 'lists of hosts are not supported'],
    ['postgres://us:pw-word@a:5432,b:5432/way', 'lists of hosts are not supported'],
  ])('says what is valid for WAYSTATION_STORE, without its password', (url, valid) => {
    const [message, ...more] = messages({ WAYSTATION_STORE: url })
    expect(more).toEqual([])
    expect(message).toMatch(/^WAYSTATION_STORE must be /)
    expect(message).toContain(valid)
    expect(message).not.toContain('pw-word')
    expect(settings({ WAYSTATION_STORE: 'postgres://us:a,b@db/way' }).store).toContain('a,b@db')
    for (const mode of ['require', 'verify-full', 'verify-ca&sslrootcert=/etc/ca.pem'])
      expect(settings({ WAYSTATION_STORE: `postgres://db/way?sslmode=${mode}` }).store).toContain(mode)
  })

  it('never prints the token', () => {
    const [alone] = messages({ WAYSTATION_TOKEN: 'too-short' })
    expect(alone).toBe('WAYSTATION_TOKEN must be at least 16 characters long, because it protects your telemetry.')
    expect(JSON.stringify(readEnvironment({ WAYSTATION_TOKEN: 'too-short', PORT: 'x' }))).not.toContain('too-short')
    expect(messages({ WAYSTATION_TOKEN: 'long-enough-to-keep', PORT: 'x' }).join()).not.toContain('long-enough')
  })
})

describe('the upstream', () => {
  const upstreamOf = (environment: Environment): string | null =>
    environment.upstream === null || environment.upstream === STAND_IN
      ? environment.upstream
      : formatDsn(environment.upstream)
  const ignoredOf = ({ ignoredSentryDsn }: Environment): string | null =>
    ignoredSentryDsn === null ? null : formatDsn(ignoredSentryDsn)

  it.each<[string, Variables, string | null, string | null]>([
    ['no setting relays nothing', {}, null, null],
    ['SENTRY_DSN alone relays nothing, and is reported', { SENTRY_DSN: DSN }, null, DSN],
    ['SENTRY_DSN with RELAY=on relays there', RELAY_ON, DSN, null],
    ['SENTRY_DSN with RELAY=off relays nothing', { SENTRY_DSN: DSN, WAYSTATION_RELAY: 'off' }, null, DSN],
    ['UPSTREAM relays', { WAYSTATION_UPSTREAM: OTHER }, OTHER, null],
    ['UPSTREAM has precedence over SENTRY_DSN', { WAYSTATION_UPSTREAM: OTHER, SENTRY_DSN: DSN }, OTHER, null],
    ['UPSTREAM has precedence over RELAY=on', { ...RELAY_ON, WAYSTATION_UPSTREAM: OTHER }, OTHER, null],
    ['UPSTREAM with RELAY=on needs no SENTRY_DSN', { WAYSTATION_UPSTREAM: OTHER, WAYSTATION_RELAY: 'on' }, OTHER, null],
    ['UPSTREAM may be the stand-in', WITH_STAND_IN, STAND_IN, null],
    ['the stand-in has precedence over SENTRY_DSN', { ...WITH_STAND_IN, SENTRY_DSN: DSN }, STAND_IN, null],
    ['ignores a malformed SENTRY_DSN that is not used', { SENTRY_DSN: 'nonsense' }, null, null],
  ])('%s', (_name, variables, upstream, ignored) => {
    const read = settings(variables)
    expect([upstreamOf(read), ignoredOf(read)]).toEqual([upstream, ignored])
  })

  it.each([
    ['is not set', undefined, '(it is not set).'],
    ['is malformed', 'nonsense', '("nonsense" is not a URL'],
  ])('rejects WAYSTATION_RELAY=on when SENTRY_DSN %s', (_name, dsn, why) => {
    const message = `SENTRY_DSN must be a Sentry DSN, because WAYSTATION_RELAY=on relays to it ${why}`
    expect(messages({ WAYSTATION_RELAY: 'on', SENTRY_DSN: dsn })).toEqual([expect.stringContaining(message)])
  })
})

describe('a DSN that is given twice', () => {
  const furtherOf = (upstream: string | undefined, dsns: string): readonly string[] => {
    const { furtherUpstreams } = settings({ WAYSTATION_UPSTREAM: upstream, WAYSTATION_DSNS: dsns })
    return furtherUpstreams.map(formatDsn)
  }

  it('is one upstream', () => {
    expect(furtherOf(DSN, DSN)).toEqual([])
    expect(furtherOf(undefined, `${DSN},${OTHER},${DSN}`)).toEqual([DSN, OTHER])
    expect(furtherOf(DSN, 'https://abc:secret@O1.ingest.sentry.io:443/42')).toEqual([])
    const relayed = settings({ WAYSTATION_RELAY: 'on', SENTRY_DSN: DSN, WAYSTATION_DSNS: `${OTHER},${DSN}` })
    expect(relayed.furtherUpstreams.map(formatDsn)).toEqual([OTHER])
  })

  it('is two upstreams when key or project differ', () => {
    expect(furtherOf(DSN, `${DSN}0,${DSN.replace('abc', 'abd')}`)).toEqual([`${DSN}0`, DSN.replace('abc', 'abd')])
  })

  it.each([
    ['host', { WAYSTATION_UPSTREAM: DSN, WAYSTATION_DSNS: 'https://abc@sentry.test/42' }, DSN],
    ['host, both in the list', { WAYSTATION_DSNS: `${DSN},https://abc@sentry.test/42` }, DSN],
    [
      'port',
      { WAYSTATION_DSNS: 'https://abc@sentry.test:8443/42,https://abc@sentry.test/42' },
      'https://abc@sentry.test:8443/42',
    ],
    [
      'scheme',
      { WAYSTATION_UPSTREAM: 'http://abc@sentry.test/42', WAYSTATION_DSNS: 'https://abc@sentry.test/42' },
      'http://abc@sentry.test/42',
    ],
  ])('is rejected with another %s', (_what, variables, first) => {
    expect(messages(variables)).toEqual([
      `WAYSTATION_DSNS must be one DSN per key and project, but ${first} and https://abc@sentry.test/42 share key abc and project 42, got "${variables.WAYSTATION_DSNS}".`,
    ])
  })

  it('is rejected with key and project of the stand-in', () => {
    const [message] = messages({ WAYSTATION_UPSTREAM: STAND_IN, WAYSTATION_DSNS: 'https://local@sentry.test/1' })
    expect(message).toContain('the stand-in and https://local@sentry.test/1 share')
  })
})

describe('acceptsProject', () => {
  const relayed = settings({ WAYSTATION_UPSTREAM: DSN, WAYSTATION_DSNS: OTHER })
  const sent = (publicKey: string, projectId: string) => ({ publicKey, projectId })

  it('accepts everything without an upstream', () => {
    expect(acceptsProject(settings({}), sent('anything', '999'))).toBe(true)
    expect(acceptsProject(settings({ SENTRY_DSN: DSN }), sent('anything', '999'))).toBe(true)
  })

  it('accepts the exact key and project of any configured DSN', () => {
    expect(relayedProjects(relayed)).toHaveLength(2)
    expect(acceptsProject(relayed, sent('abc', '42'))).toBe(true)
    expect(acceptsProject(relayed, sent('def', '7'))).toBe(true)
  })

  it.each([
    ['another key', 'abd', '42'],
    ['the key in capitals', 'ABC', '42'],
    ['another project', 'abc', '43'],
    ['a zero before the project', 'abc', '042'],
    ["one DSN's key with another's project", 'abc', '7'],
    ['nothing', '', ''],
  ])('rejects %s', (_name, publicKey, projectId) => {
    expect(acceptsProject(relayed, sent(publicKey, projectId))).toBe(false)
  })

  it('accepts the projects of WAYSTATION_DSNS without WAYSTATION_UPSTREAM', () => {
    const further = settings({ WAYSTATION_DSNS: OTHER })
    expect(acceptsProject(further, sent('def', '7'))).toBe(true)
    expect(acceptsProject(further, sent('abc', '42'))).toBe(false)
  })

  it('accepts the local key and project with the stand-in', () => {
    expect(acceptsProject(settings(WITH_STAND_IN), sent('local', '1'))).toBe(true)
    expect(acceptsProject(settings(WITH_STAND_IN), sent('other', '1'))).toBe(false)
  })
})

it.each<[string, Variables, string, string]>([
  ['is the project of the local DSN without an upstream', {}, 'anykey', '1'],
  ['is the project with this key', { WAYSTATION_UPSTREAM: DSN, WAYSTATION_DSNS: OTHER }, 'def', '7'],
  ['is the first project for an unknown key, which is rejected later', { WAYSTATION_UPSTREAM: DSN }, 'x', '42'],
])('projectOfKey %s', (_name, variables, key, project) => {
  expect(projectOfKey(settings(variables), key)).toBe(project)
})

it.each<[string, Variables, string]>([
  ['when local only', {}, 'http://local@127.0.0.1:8969/1'],
  ['of an upstream', { WAYSTATION_UPSTREAM: DSN }, 'http://abc@127.0.0.1:8969/42'],
  [
    'of an upstream with a path',
    { WAYSTATION_UPSTREAM: 'https://abc@sentry.test/prefix/42' },
    'http://abc@127.0.0.1:8969/42',
  ],
  [
    'of an upstream with a secret',
    { WAYSTATION_UPSTREAM: 'https://abc:secret@sentry.test/42' },
    'http://abc@127.0.0.1:8969/42',
  ],
  ['of the stand-in', WITH_STAND_IN, 'http://local@127.0.0.1:8969/1'],
  ['of further DSNs alone', { WAYSTATION_DSNS: `${OTHER},${DSN}` }, 'http://def@127.0.0.1:8969/7'],
  ['of another port', { WAYSTATION_PORT: '9000' }, 'http://local@127.0.0.1:9000/1'],
  ['of a collector elsewhere', { WAYSTATION_COLLECTOR_URL: 'https://box.test/way' }, 'https://local@box.test/way/1'],
])('the local DSN %s', (_name, variables, dsn) => {
  expect(ownLocalDsn(settings(variables))).toBe(dsn)
  const key = /\/\/(\w+)@.*\/(\d+)$/.exec(dsn)
  // The SDKs of the app use it, so it is always accepted.
  expect(acceptsProject(settings(variables), { publicKey: key?.[1] ?? '', projectId: key?.[2] ?? '' })).toBe(true)
})

it.each<[string, number | null]>([
  ['off', null],
  ['4317', 4317],
  ['0', 0],
])('WAYSTATION_OTLP_PORT parses %s', (text, port) => {
  expect(settings({ WAYSTATION_OTLP_PORT: text })).toMatchObject({ otlpPort: port, otlpPortGiven: true })
})

it.each(['on', '65536', '-1', 'http'])('WAYSTATION_OTLP_PORT rejects %s with the valid values', (text) => {
  expect(messages({ WAYSTATION_OTLP_PORT: text })).toEqual([
    `WAYSTATION_OTLP_PORT must be off or a port number from 0 (any free one) to 65535, got "${text}".`,
  ])
})

describe('WAYSTATION_OTLP_UPSTREAM', () => {
  const KEYLESS = { publicKey: 'otlp.keyless', project: '0' }
  const keyless = (variables: Variables) => keylessProject(settings(variables))

  it.each<[string, Variables, { publicKey: string; project: string }]>([
    ['the local DSN, without an upstream', {}, { publicKey: 'local', project: '1' }],
    ['the one upstream', { WAYSTATION_UPSTREAM: DSN }, { publicKey: 'abc', project: '42' }],
    ['the stand-in', WITH_STAND_IN, { publicKey: 'local', project: '1' }],
    ['no project, where nothing selects one of several', TWO_DSNS, KEYLESS],
    [
      'the selected one of several',
      { ...TWO_DSNS, WAYSTATION_OTLP_UPSTREAM: OTHER },
      { publicKey: 'def', project: '7' },
    ],
    ['no project, for another DSN', { WAYSTATION_UPSTREAM: DSN, WAYSTATION_OTLP_UPSTREAM: OTHER }, KEYLESS],
    ['no project, for an OTLP endpoint', { WAYSTATION_OTLP_UPSTREAM: 'https://otel.test' }, KEYLESS],
  ])('gives requests without a key to %s', (_to, variables, identity) => {
    expect(keyless(variables)).toEqual(identity)
  })

  it('adds an upstream for requests without a key alone, so that envelopes never go there', () => {
    const read = settings({ WAYSTATION_OTLP_UPSTREAM: OTHER })
    expect(separateOtlpUpstream(read)).toMatchObject({ address: { host: 'sentry.test', projectId: '7' } })
    expect([relayedProjects(read), ownLocalDsn(read)]).toEqual([[], 'http://local@127.0.0.1:8969/1'])
    expect(separateOtlpUpstream(settings({ WAYSTATION_UPSTREAM: OTHER, WAYSTATION_OTLP_UPSTREAM: OTHER }))).toBeNull()
    expect(separateOtlpUpstream(settings({}))).toBeNull()
  })

  it('is missing only where several upstreams are configured', () => {
    expect(keepsKeyless(settings(TWO_DSNS))).toBe(true)
    expect(keepsKeyless(settings({ WAYSTATION_UPSTREAM: DSN }))).toBe(false)
    expect(keepsKeyless(settings({ ...TWO_DSNS, WAYSTATION_OTLP_UPSTREAM: DSN }))).toBe(false)
  })

  it('rejects other addresses, without their password', () => {
    const [message] = messages({ WAYSTATION_OTLP_UPSTREAM: 'ftp://ada:hunter2@otel.test' })
    expect(message).toBe(
      'WAYSTATION_OTLP_UPSTREAM must be a DSN, or the base URL of an OTLP/HTTP endpoint such as https://otel.example.com:4318, got "ftp://ada:…@otel.test".',
    )
  })
})
