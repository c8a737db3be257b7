import { join } from 'node:path'
import { plainText } from '../../lib/format'
import { type Overview, strandedSentence } from '../../lib/wire/overview'

export interface StartFacts {
  readonly appUrl: string
  readonly collectorUrl: string
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
  /** The app's port was taken; it uses another. */
  readonly portInstead: { readonly taken: number; readonly used: number } | null
}

const PAGES = [
  ['Home', ''],
  ['Lab', '/lab'],
  ['Traces', '/traces'],
  ['Errors', '/events'],
  ['Signals', '/signals'],
  ['Envelopes', '/envelopes'],
  ['Deliveries', '/deliveries'],
  ['Losses', '/losses'],
  ['Limits', '/limits'],
  ['Contract', '/contract'],
  ['Storage', '/storage'],
] as const

/** @param colour prints title and DSN in bold; for terminals only */
export function startBlock(facts: StartFacts, { colour }: { readonly colour: boolean }): string {
  const bold = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text)
  const line = (label: string, text: string) => `  ${label.padEnd(11)}${plainText(text)}`
  const note = (text: string) => `  ${' '.repeat(11)}${text}`
  return [
    '',
    `  ${bold('Waystation is running')}`,
    '',
    ...PAGES.map(([label, path]) => line(label, `${facts.appUrl}${path}`)),
    ...(facts.upstreams.some(({ standIn }) => standIn) ? [line('Stand-in', `${facts.appUrl}/stand-in`)] : []),
    ...(facts.portInstead === null
      ? []
      : [
          note(
            `Port ${facts.portInstead.taken} is taken, so the app uses ${facts.portInstead.used}; PORT sets another port.`,
          ),
        ]),
    ...(facts.guardedByToken
      ? [note(`Protected by WAYSTATION_TOKEN: sign in at ${plainText(facts.appUrl)}/login.`)]
      : []),
    line('Collector', facts.collectorUrl),
    line('OTLP', facts.otlp.url),
    ...(facts.otlp.taken === null
      ? []
      : [note(`Port ${facts.otlp.taken} is taken, so OpenTelemetry programs send to ${plainText(facts.otlp.url)}.`)]),
    '',
    line('Data', facts.dataFolder),
    line('Lifeboat', join(facts.dataFolder, 'lifeboat')),
    note('stores envelopes of the tunnel while the collector is down'),
    ...relayLines(facts).map((text, index) => (index === 0 ? line('Relay', text) : note(text))),
    ...facts.stranded.map((one) => line('Stranded', strandedSentence(one))),
    '',
    ...dsnLines(facts, bold),
    '',
    '  Ctrl-C stops both.',
    '',
  ].join('\n')
}

/** One DSN, or one for each project: key and project of an envelope select its upstream. */
function dsnLines({ localDsn, upstreams }: StartFacts, bold: (text: string) => string): readonly string[] {
  if (upstreams.length < 2) return ['  Set this DSN in any SDK:', `  ${bold(plainText(localDsn))}`]
  const width = Math.max(...upstreams.map((one) => one.localDsn.length))
  return [
    '  Set the DSN of your project in any SDK:',
    ...upstreams.map((one) => `  ${bold(plainText(one.localDsn.padEnd(width)))}  for ${plainText(one.label)}`),
  ]
}

function relayLines(facts: StartFacts): readonly string[] {
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
