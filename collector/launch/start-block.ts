import { join } from 'node:path'
import { plainText } from '../../lib/format'
import { type Overview, strandedSentence } from '../../lib/wire/overview'

/** What the start block tells; addresses without a trailing slash. */
export interface StartFacts {
  readonly appUrl: string
  readonly collectorUrl: string
  readonly localDsn: string
  readonly dataFolder: string
  /** What each upstream is called by, and the DSN by which an SDK sends to its project. */
  readonly upstreams: readonly { readonly label: string; readonly standIn: boolean; readonly localDsn: string }[]
  /** What is pending by keys that nobody has configured. */
  readonly stranded: Overview['stranded']
  /** What the stand-in still plays from an earlier start, in words. */
  readonly script: string | null
  /** `SENTRY_DSN` is set, and nothing decided to relay. */
  readonly ignoresSentryDsn: boolean
  readonly guardedByToken: boolean
  /** The app's port was taken, so that it has another. */
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

/**
 * The one calm block that is printed when both run.
 * @param colour bold title and DSN; only for a terminal
 */
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
            `Port ${facts.portInstead.taken} is taken, so the app is on ${facts.portInstead.used}; PORT chooses another.`,
          ),
        ]),
    ...(facts.guardedByToken
      ? [note(`Guarded by WAYSTATION_TOKEN: sign in at ${plainText(facts.appUrl)}/login.`)]
      : []),
    line('Collector', facts.collectorUrl),
    '',
    line('Data', facts.dataFolder),
    line('Lifeboat', join(facts.dataFolder, 'lifeboat')),
    note('keeps what comes by the tunnel while the collector is down'),
    ...relayLines(facts).map((text, index) => (index === 0 ? line('Relay', text) : note(text))),
    ...facts.stranded.map((one) => line('Stranded', strandedSentence(one))),
    '',
    ...dsnLines(facts, bold),
    '',
    '  Ctrl-C stops both.',
    '',
  ].join('\n')
}

/** One DSN, or of several projects each with its own: by the key and project in it an envelope finds its upstream. */
function dsnLines({ localDsn, upstreams }: StartFacts, bold: (text: string) => string): readonly string[] {
  if (upstreams.length < 2) return ['  Any SDK gets on the path with this DSN:', `  ${bold(plainText(localDsn))}`]
  const width = Math.max(...upstreams.map((one) => one.localDsn.length))
  return [
    '  Any SDK gets on the path with the DSN of its project:',
    ...upstreams.map((one) => `  ${bold(plainText(one.localDsn.padEnd(width)))}  for ${plainText(one.label)}`),
  ]
}

function relayLines(facts: StartFacts): readonly string[] {
  if (facts.upstreams.length > 0)
    return facts.upstreams.flatMap(({ label, standIn }) => {
      if (!standIn) return [`to ${plainText(label)}`]
      const kept = facts.script === null ? [] : [`plays the script it was told to keep: ${plainText(facts.script)}`]
      return [`to ${plainText(label)}, the stand-in`, ...kept]
    })
  const off = 'off: local only, nothing leaves this machine'
  return facts.ignoresSentryDsn ? [off, 'SENTRY_DSN is set and not used; WAYSTATION_RELAY=on relays to it'] : [off]
}
