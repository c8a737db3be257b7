import { join } from 'node:path'
import { plainText } from '../../lib/format'
import { hasAllRoles, type Role } from '../../lib/protocol/roles'
import type { Overview } from '../../lib/wire/overview'
import { BOARD_PAGES } from '../../lib/wire/pages'
import { strandedSentence } from '../../lib/wire/stranded'

export interface CollectorFacts {
  /** Address of the collector. */
  readonly url: string
  readonly localDsn: string
  readonly dataFolder: string
  /** `localDsn` is the DSN for SDKs of this upstream's project. */
  readonly upstreams: readonly { readonly label: string; readonly standIn: boolean; readonly localDsn: string }[]
  /** The address for OpenTelemetry programs, and the upstream of their requests without a key. */
  readonly otlp: {
    readonly url: string
    /** The default port, where another program has it. */
    readonly taken: number | null
    /** The label of an upstream of their own. */
    readonly upstream: string | null
    /** Nothing selects one of several upstreams. */
    readonly staysLocal: boolean
  }
  /** Envelopes that are pending for keys without a configured upstream. */
  readonly stranded: Overview['stranded']
  /** `SENTRY_DSN` is set, but relaying is not switched on. */
  readonly ignoresSentryDsn: boolean
  readonly guardedByToken: boolean
  readonly roles: readonly Role[]
  /** Host, port and database of the shared record; `null` for a record in the data folder. */
  readonly store: string | null
}

export interface StartFacts extends CollectorFacts {
  readonly appUrl: string
  /** The app's port was taken; it uses another. */
  readonly portInstead: { readonly taken: number; readonly used: number } | null
}

const STAND_IN_PAGE = '/stand-in'
const PAGES: readonly { readonly path: string; readonly name: string }[] = BOARD_PAGES.flatMap(({ path, name }) =>
  name === null || path === STAND_IN_PAGE ? [] : [{ path, name }],
)
/** The lab is a part of the app. */
const APP_PAGES = [...PAGES.slice(0, 1), { path: '/lab', name: 'Lab' }, ...PAGES.slice(1)]

interface Style {
  /** Prints title and DSN in bold; for terminals only. */
  readonly colour: boolean
}

const boldOf =
  ({ colour }: Style) =>
  (text: string): string =>
    colour ? `\u001b[1m${text}\u001b[22m` : text
const line = (label: string, text: string): string => `  ${label.padEnd(11)}${plainText(text)}`
const note = (text: string): string => `  ${' '.repeat(11)}${text}`

function pageLines(at: string, pages: typeof PAGES, { upstreams, roles }: CollectorFacts): readonly string[] {
  if (!roles.includes('query')) return []
  const standIn = upstreams.some((one) => one.standIn) ? [line('Stand-in', `${at}${STAND_IN_PAGE}`)] : []
  return [...pages.map(({ name, path }) => line(name, `${at}${path === '/' ? '' : path}`)), ...standIn]
}

const signInLines = (at: string, { guardedByToken, roles }: CollectorFacts): readonly string[] =>
  guardedByToken && roles.includes('query')
    ? [note(`Protected by WAYSTATION_TOKEN: sign in at ${plainText(at)}/login.`)]
    : []

/** The addresses of a collector that runs without the app. */
export function collectorBlock(facts: CollectorFacts, style: Style): string {
  const bold = boldOf(style)
  return [
    '',
    `  ${bold('Waystation is running')}`,
    '',
    ...pageLines(facts.url, PAGES, facts),
    ...signInLines(facts.url, facts),
    ...roleLines(facts),
    ...otlpLines(facts),
    '',
    ...dataLines(facts),
    ...recordLines(facts),
    '',
    ...dsnLines(facts, bold),
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n')
}

/** The addresses of the boards of a run. */
export function shownBlock(facts: CollectorFacts, style: Style): string {
  return [
    '',
    `  ${boldOf(style)('The boards show a copy of the run')}`,
    '',
    ...pageLines(facts.url, PAGES, facts),
    ...signInLines(facts.url, facts),
    '',
    '  Ctrl-C stops it and removes the copy.',
    '',
  ].join('\n')
}

/** The addresses of app and collector. */
export function startBlock(facts: StartFacts, style: Style): string {
  const bold = boldOf(style)
  return [
    '',
    `  ${bold('Waystation is running')}`,
    '',
    ...pageLines(facts.appUrl, APP_PAGES, facts),
    ...(facts.portInstead === null
      ? []
      : [
          note(
            `Port ${facts.portInstead.taken} is taken, so the app uses ${facts.portInstead.used}; PORT sets another port.`,
          ),
        ]),
    ...signInLines(facts.appUrl, facts),
    ...(hasAllRoles(facts.roles) ? [line('Collector', facts.url)] : []),
    ...roleLines(facts),
    ...otlpLines(facts),
    '',
    ...dataLines(facts),
    line('Lifeboat', join(facts.dataFolder, 'lifeboat')),
    note('stores envelopes of the tunnel while the collector is down'),
    ...recordLines(facts),
    '',
    ...dsnLines(facts, bold),
    '',
    '  Ctrl-C stops both.',
    '',
  ].join('\n')
}

/** For a collector that has not all roles; its boards, if it has any, are listed already. */
const roleLines = ({ url, roles }: CollectorFacts): readonly string[] =>
  hasAllRoles(roles) ? [] : [line('Collector', url), line('Roles', roles.join(', ')), note(MISSING_ROLES)]

const MISSING_ROLES = 'Other collectors of the same record do the rest (WAYSTATION_ROLES).'

const otlpLines = ({ otlp, roles }: CollectorFacts): readonly string[] =>
  roles.includes('intake')
    ? [
        line('OTLP', otlp.url),
        ...(otlp.taken === null
          ? []
          : [note(`Port ${otlp.taken} is taken, so OpenTelemetry programs send to ${plainText(otlp.url)}.`)]),
      ]
    : []

const dataLines = ({ store, dataFolder, roles }: CollectorFacts): readonly string[] => [
  ...(store === null ? [] : [line('Record', `in PostgreSQL at ${store}`)]),
  line('Data', dataFolder),
  ...(store !== null && roles.includes('query') ? [note('contains a copy of the record')] : []),
]

const recordLines = (facts: CollectorFacts): readonly string[] => [
  ...relayLines(facts).map((text, index) => (index === 0 ? line('Relay', text) : note(text))),
  ...facts.stranded.map((one) => line('Stranded', strandedSentence(one))),
]

/** One DSN, or one for each project: key and project of an envelope select its upstream. */
function dsnLines({ localDsn, upstreams, roles }: CollectorFacts, bold: (text: string) => string): readonly string[] {
  if (!roles.includes('intake'))
    return ['  It takes no envelopes: SDKs need the DSN of a collector with the role intake.']
  if (upstreams.length < 2) return ['  Set this DSN in any SDK:', `  ${bold(plainText(localDsn))}`]
  const width = Math.max(...upstreams.map((one) => one.localDsn.length))
  return [
    '  Set the DSN of your project in any SDK:',
    ...upstreams.map((one) => `  ${bold(plainText(one.localDsn.padEnd(width)))}  for ${plainText(one.label)}`),
  ]
}

function relayLines(facts: CollectorFacts): readonly string[] {
  if (!facts.roles.includes('relay')) return ['by collectors with the role relay']
  const { upstream, staysLocal } = facts.otlp
  const toUpstream = upstream === null ? [] : [`OpenTelemetry without a key: to ${plainText(upstream)}`]
  const stays =
    'OpenTelemetry without a key stays on this machine; set WAYSTATION_OTLP_UPSTREAM to one of these DSNs to relay it'
  if (facts.upstreams.length > 0) {
    const upstreams = facts.upstreams.map(
      ({ label, standIn }) => `to ${plainText(label)}${standIn ? ', the stand-in' : ''}`,
    )
    return [...upstreams, ...toUpstream, ...(staysLocal ? [stays] : [])]
  }
  const off =
    upstream === null ? 'off: local only, nothing leaves this machine' : 'off for envelopes: they stay on this machine'
  return facts.ignoresSentryDsn
    ? [off, ...toUpstream, 'SENTRY_DSN is set but not used; set WAYSTATION_RELAY=on to relay to it']
    : [off, ...toUpstream]
}
