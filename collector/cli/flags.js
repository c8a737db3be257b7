/** One table of flags per command, for parsing and `--help`. No imports: help works before anything is installed. */

/**
 * A flag. Without `value` it is a switch. `valid` names the valid values in error messages, and in `--help` where the
 * placeholder does not say it.
 * @typedef {{ readonly value?: string, readonly about: string, readonly valid?: string, readonly default?: string }} Flag
 * @typedef {Readonly<Record<`--${string}`, Flag>>} FlagTable
 */

/** Valid values by placeholder, for flags without `valid`. */
export const PLACEHOLDERS = /** @type {const} */ ({
  FILE: 'a file name',
  FOLDER: 'a folder name',
  URL: 'an http or https address, such as http://127.0.0.1:8969',
  DSN: 'a DSN',
})

const URL_FLAG = /** @type {const} */ ({
  '--url': {
    value: 'URL',
    about: 'address of the collector',
    default: 'WAYSTATION_COLLECTOR_URL, else the collector of npm start',
  },
})

/** The commands of the verbs look for a collector in these places, in this order. */
export const FOUND_COLLECTOR =
  'WAYSTATION_COLLECTOR_URL, else the address.json of the nearest .waystation, else the collector of npm start'

const STAMP_FLAG = /** @type {const} */ ({
  '--stamp': {
    value: 'S',
    about: 'only items with this stamp, and unstamped items of its traces',
    valid: '1 to 64 letters, digits or _ - . / : @',
  },
})

const BRIEF_FLAGS = /** @type {const} */ ({
  '--brief': { about: 'prints a Markdown answer of at most 12,000 bytes, as agents read it' },
  '--cursor': { value: 'CURSOR', about: 'with --brief, continues an answer', valid: 'the cursor of an earlier answer' },
})

const WHEN =
  'now, a journal number, a time such as 2026-11-21T10:00:00Z, an age such as 90s, 10m or 2h, or the name of a mark'
const SECONDS_OF_AN_HOUR = 3600
const SECONDS_OF_A_DAY = 86_400

/** Flags that select rules and reports, for `check` and `run`. */
export const JUDGING_FLAGS = /** @type {const} */ ({
  '--rules': {
    value: 'A,B',
    about: 'only these rules, all of which must be judged',
    valid: 'rule ids, separated by commas',
  },
  '--severity': {
    value: 'LEVEL',
    about: 'the lowest severity that fails: with warning, warnings fail, too',
    valid: 'warning or error',
    default: 'error',
  },
  '--baseline': { value: 'FILE', about: 'ignores the failures in this file' },
  '--write-baseline': {
    value: 'FILE',
    about: 'writes the failures of this recording to the file, and passes; leaks and budgets still fail',
  },
  '--budget': { value: 'FILE', about: 'reads budgets from this JSON file instead of the configuration' },
  '--junit': { value: 'FILE', about: 'also writes the report as JUnit XML' },
  '--report': { value: 'FILE', about: 'also writes the report as JSON' },
  '--quiet': { about: 'prints only failures, reasons and the last line' },
  '--github': { about: 'writes annotations and a step summary; on by default if GITHUB_ACTIONS=true' },
  '--config': {
    value: 'FILE',
    about: 'the configuration',
    default: 'the nearest waystation.config.ts, .mts, .js or .mjs',
  },
})

export const START_FLAGS = /** @type {const} */ ({
  '--port': {
    value: 'PORT',
    about: 'the port of the collector and its boards; 0 takes a free one',
    valid: 'a port from 0 to 65535',
    default: 'WAYSTATION_PORT, else 8969',
  },
  '--data': {
    value: 'FOLDER',
    about: 'stores telemetry in this folder',
    default: 'WAYSTATION_DATA, else .waystation next to the nearest package.json',
  },
  '--open': { about: 'opens the boards in a browser' },
})

export const RUN_FLAGS = /** @type {const} */ ({
  '--relay': {
    about: 'relays to the configured upstream; without it, envelopes go only to the stand-in, if that is configured',
  },
  '--data': {
    value: 'FOLDER',
    about: 'records in this new or empty folder',
    default: 'a new folder in runs/ of WAYSTATION_DATA, which keeps the newest 20',
  },
  '--save': {
    value: 'FILE',
    about:
      'also writes the run to this file, even if it failed: recording, verdict and command; waystation show opens it',
  },
  '--scrub': { about: 'removes secrets from the file of --save, as the relay does; the folder keeps them' },
  '--name': { value: 'NAME', about: 'a name for the run, such as that of a branch', valid: '1 to 100 characters' },
  '--settle': {
    value: 'SECONDS',
    about: 'the longest wait at the end for envelopes that are still in transit',
    valid: `seconds from 0 to ${SECONDS_OF_AN_HOUR}`,
    default: '5',
  },
  '--learn': {
    about: 'adds a green run to waystation.profile.json in the working directory, with which later runs are compared',
  },
  '--no-check': { about: 'prints what arrived, but judges nothing' },
  ...JUDGING_FLAGS,
})

export const INIT_FLAGS = /** @type {const} */ ({
  '--agents': { about: 'the files with which coding agents find Waystation' },
  '--dry-run': { about: 'shows the changes, and writes nothing' },
  '--yes': { about: 'writes without asking' },
})

export const MERGE_FLAGS = /** @type {const} */ ({
  '--save': { value: 'FILE', about: 'the file to write; it must not exist' },
  '--name': { value: 'NAME', about: 'a name for the merged run', valid: '1 to 100 characters' },
  ...JUDGING_FLAGS,
})

export const CHECK_FLAGS = /** @type {const} */ ({
  ...URL_FLAG,
  ...STAMP_FLAG,
  '--since': { value: 'WHEN', about: 'only items that arrived later', valid: WHEN, default: 'the beginning' },
  '--json': { about: 'prints the report as JSON' },
  ...JUDGING_FLAGS,
  ...BRIEF_FLAGS,
})

export const WAIT_FLAGS = /** @type {const} */ ({
  '--pattern': {
    value: 'PATTERN',
    about: 'waits for spans instead of an item, as waystation expect does',
    valid: "a span pattern, such as 'pageload > http.client GET /api/cart'",
  },
  '--timeout': {
    value: 'SECONDS',
    about: 'the longest wait',
    valid: `seconds from 0 to ${SECONDS_OF_A_DAY}, such as 10 or 10s`,
    default: '30',
  },
  '--since': { value: 'WHEN', about: 'also accepts items that arrived after this', valid: WHEN, default: 'now' },
  ...STAMP_FLAG,
  '--json': { about: 'prints the whole item as JSON' },
  ...URL_FLAG,
  ...BRIEF_FLAGS,
})

export const EXPECT_FLAGS = /** @type {const} */ ({
  '--timeout': {
    value: 'SECONDS',
    about: 'the longest wait',
    valid: `seconds from 0 to ${SECONDS_OF_A_DAY}, such as 10 or 10s`,
    default: '30',
  },
  '--since': { value: 'WHEN', about: 'only spans that arrived later', valid: WHEN, default: 'the beginning' },
  ...STAMP_FLAG,
  '--json': { about: 'prints the answer as JSON' },
  ...URL_FLAG,
  ...BRIEF_FLAGS,
})

export const TAIL_FLAGS = /** @type {const} */ ({
  '--kind': {
    value: 'A,B',
    about: 'only items of these kinds',
    valid: 'kinds, separated by commas',
    default: 'all but span, breadcrumb and item',
  },
  '--since': { value: 'WHEN', about: 'also prints items that arrived after this', valid: WHEN, default: 'now' },
  ...STAMP_FLAG,
  '--json': { about: 'prints each item as one line of JSON' },
  ...URL_FLAG,
})

export const EXPORT_FLAGS = /** @type {const} */ ({
  '--format': { value: 'FORMAT', about: 'the format of the lines', valid: 'ndjson or otlp', default: 'ndjson' },
  '--out': { value: 'FILE', about: 'the file to write', default: 'standard output' },
  '--kind': {
    value: 'A,B',
    about: 'only items of these kinds; of otlp span, log, metric and error',
    valid: 'kinds, separated by commas',
    default: 'all but span, breadcrumb and item; of otlp all four',
  },
  '--trace': { value: 'ID', about: 'only items of this trace', valid: 'a trace id of 32 hex digits' },
  '--service': { value: 'NAME', about: 'only items of this service, such as browser' },
  '--since': { value: 'WHEN', about: 'only items that arrived later', valid: WHEN, default: 'the beginning' },
  ...STAMP_FLAG,
  ...URL_FLAG,
})

export const DOCTOR_FLAGS = /** @type {const} */ ({
  ...URL_FLAG,
  '--app': {
    value: 'URL',
    about: 'address of your app, to check its page and its tunnel',
    valid: 'an http or https address, such as http://localhost:3000',
  },
  '--tunnel': {
    value: 'PATH',
    about: 'path of the tunnel of your app; /tunnel is checked in any case, but may be missing',
    valid: 'a path, such as /tunnel',
  },
  '--dsn': { value: 'DSN', about: 'the DSN of your SDK', default: 'SENTRY_DSN' },
  '--json': { about: 'prints each check as JSON' },
  ...BRIEF_FLAGS,
})

export const SHOW_FLAGS = /** @type {const} */ ({
  '--port': {
    value: 'PORT',
    about: 'the port of the boards; 0 takes a free one',
    valid: 'a port from 0 to 65535',
    default: 'that of the run, to which the links of its reports point, else a free one',
  },
  '--open': { about: 'opens the boards in a browser' },
})

export const RUNS_FLAGS = /** @type {const} */ ({
  '--data': {
    value: 'FOLDER',
    about: 'the data folder that contains runs/',
    default: 'WAYSTATION_DATA, else .waystation',
  },
  '--json': { about: 'prints the list as JSON' },
})

export const DIFF_FLAGS = /** @type {const} */ ({
  '--markdown': { about: 'prints Markdown, for a comment on a pull request' },
  '--json': { about: 'prints JSON' },
  '--fail-on': {
    value: 'A,B',
    about: 'exits with 1 for differences of these kinds',
    valid: 'none, or spans, errors, rules and durations, separated by commas',
    default: 'spans,errors,rules,durations',
  },
  ...BRIEF_FLAGS,
})

export const REPORT_FLAGS = /** @type {const} */ ({
  '--html': { about: 'as one page without script, at most 5 MB with 20 traces, which opens from disk' },
  '--out': { value: 'FILE', about: 'the file to write', default: 'waystation-report.html' },
})

export const MCP_FLAGS = /** @type {const} */ ({
  '--url': { ...URL_FLAG['--url'], default: FOUND_COLLECTOR },
})

export const SALVAGE_FLAGS = /** @type {const} */ ({
  '--to': { value: 'FOLDER', about: 'the folder to write', valid: 'a new or empty folder' },
})

/** @typedef {{ usage: string, about: string, flags: FlagTable, notes: readonly string[], exitCodes: string }} Command */

const USAGE_ERROR = '2 wrong argument or setting'

/** All commands, in the order of `waystation --help`. @type {Readonly<Record<string, Command>>} */
const COMMANDS = {
  start: {
    usage: 'waystation start [FLAG…]',
    about: 'Starts a collector with its boards, until Ctrl-C. It needs no app and no configuration.',
    flags: START_FLAGS,
    notes: [
      `It prints the address of the boards, and the DSN to set in the SDK of your app. Pages of other addresses can send telemetry
but change nothing, unless WAYSTATION_APP_URL names the address of an app.`,
    ],
    exitCodes: `0 after Ctrl-C, 1 the collector could not start or is gone for good, ${USAGE_ERROR}.`,
  },
  run: {
    usage: 'waystation run [FLAG…] -- CMD [ARGUMENT…]',
    about: 'Runs a program with its own collector and recording, prints what arrived and what was lost, and judges it.',
    flags: RUN_FLAGS,
    notes: [
      `CMD gets the local DSN in WAYSTATION_DSN, in SENTRY_DSN and in NEXT_PUBLIC_SENTRY_DSN, VITE_SENTRY_DSN and similar variables,
and the address of the collector in WAYSTATION_COLLECTOR_URL. SDKs of OpenTelemetry get it in OTEL_EXPORTER_OTLP_ENDPOINT.
NO_PROXY contains this machine. Standard output belongs to CMD.
The first line on stderr contains address and folder; use them with the other commands while CMD runs.`,
      `Dead letters stay in the recording. To send or drop them, start it again and use the page Deliveries.`,
    ],
    exitCodes: `the code of CMD if that is not 0; 128 and the signal number after a signal; 126 or 127 if CMD cannot be run or found.
Otherwise 0 pass, 1 fail, ${USAGE_ERROR}, 3 nothing arrived, or the recording is missing or incomplete.`,
  },
  show: {
    usage: 'waystation show [FLAG…] FILE|FOLDER',
    about: 'Opens the boards on a run, until Ctrl-C: a file of waystation run --save, or a folder.',
    flags: SHOW_FLAGS,
    notes: [
      `It works on a copy in the temporary folder, which it removes at the end: nothing of the run can change, nothing is received
and nothing is sent. It needs neither the app of the run nor its configuration.`,
    ],
    exitCodes: `0 after Ctrl-C, ${USAGE_ERROR}, 3 the run cannot be opened.`,
  },
  runs: {
    usage: 'waystation runs [pin|unpin|delete|open RUN | name RUN NAME] [FLAG…]',
    about: 'Lists the runs that waystation run keeps, newest first; pins, names, deletes or opens one.',
    flags: RUNS_FLAGS,
    notes: [
      `RUN is its number in the list, its name, or the beginning of its id. The newest 20 runs are kept, and those that are pinned,
are open or have pending envelopes. open is waystation show --open.`,
    ],
    exitCodes: `0 done, ${USAGE_ERROR}.`,
  },
  diff: {
    usage: 'waystation diff [FLAG…] BASE… HEAD',
    about: 'Compares a run with one or more earlier ones: spans, errors, rules, amounts and durations.',
    flags: DIFF_FLAGS,
    notes: [
      `Runs are files of waystation run --save, or folders. The last one is compared with all others. With five or more base runs, all
green, durations are judged, too.`,
    ],
    exitCodes: `0 no difference of the kinds of --fail-on, 1 differences, ${USAGE_ERROR}, 3 a run cannot be opened.`,
  },
  merge: {
    usage: 'waystation merge RUN RUN… --save FILE [FLAG…]',
    about: 'Writes the runs of the shards of a suite as one run, and judges it.',
    flags: MERGE_FLAGS,
    notes: [
      `Runs are files of waystation run --save, or folders. Submissions are in the order of arrival. One that several runs have
counts once. Nothing is relayed. The verdict is evaluated again, with the reports of all tests and the configuration of this
folder. A run without a verdict makes it incomplete.`,
    ],
    exitCodes: `0 pass, 1 fail, or the program of a run failed, ${USAGE_ERROR}, 3 incomplete, or a run cannot be opened.`,
  },
  report: {
    usage: 'waystation report FILE|FOLDER --html [FLAG…]',
    about: 'Writes a report of a run: verdict, failed checks, ledger, and the waterfalls of traces, failed ones first.',
    flags: REPORT_FLAGS,
    notes: [
      `The run is a file of waystation run --save, or a folder. The page contains what the run contains: see docs/security.md.`,
    ],
    exitCodes: `0 written, ${USAGE_ERROR}, 3 the run cannot be opened.`,
  },
  check: {
    usage: 'waystation check [FLAG…]',
    about:
      'Judges the recording of a collector: the rules of the contract, unexpected errors, losses, budgets, expectations.',
    flags: CHECK_FLAGS,
    notes: [
      `Rules: event-buffer, breadcrumbs, span-recorder, rate-limit-back-off, idle-timeout, final-timeout, heartbeat, environment,
prefetch-freshness, cache-duration, names, not-found, trace-headers, trace-headers-probe, trace-context, tunnel, error-fallback,
unhandled-errors, privacy, duplicate-ids, oversized, n-plus-one, orphans, missing-release, clock-skew, conventions, errors,
losses, budgets, expect.`,
      `It judges the newest 20,000 submissions, at most 128 MiB. The report says when older ones were left out.`,
    ],
    exitCodes: `0 pass, 1 fail, ${USAGE_ERROR}, 3 could not be judged.`,
  },
  wait: {
    usage: 'waystation wait KIND [FIELD=VALUE…] [FIELD~REGEX…] [FLAG…] | wait --pattern PATTERN [FLAG…]',
    about: 'Waits for one item and prints it, for example: waystation wait transaction name=/checkout',
    flags: WAIT_FLAGS,
    notes: [
      `KIND: transaction, error, span, breadcrumb, log, metric, session, client-report, item, …
FIELD=VALUE matches the whole text: op=pageload, attributes.http.response.status_code=500
FIELD~REGEX matches a part of the text: title~^TypeError, title~declined`,
    ],
    exitCodes: `0 the item arrived, 1 it did not, ${USAGE_ERROR}, 3 no collector answers.`,
  },
  expect: {
    usage: "waystation expect 'PATTERN' [FLAG…]",
    about:
      "Waits until a trace contains these spans, for example: waystation expect 'pageload /checkout > http.client'",
    flags: EXPECT_FLAGS,
    notes: [
      `PATTERN: steps, each an op and, if wanted, a name: pageload /checkout > http.client POST /api/order >> db*
> matches a child, >> a descendant, * any text. A name that contains >, [ or { is written in "quotes".
Count: db*{3} exactly three, db*{..5} at most five, db*{2..} at least two, db*{2..5}, db*{0} none: children (>) or
descendants (>>) of one matched span; in the first step, spans of the trace.
Conditions, before the count: http.client[<200ms], [>=1s], [10ms..200ms], [http.route=/api/*, <200ms]; units us, ms, s, min.
Values in "quotes" if they contain a comma, ] or =.`,
      `Without --since it also searches what arrived before it was called: the newest 2000 submissions, at most 32 MiB.`,
    ],
    exitCodes: `0 match, 1 no match, ${USAGE_ERROR}, 3 nothing was recorded, or no collector answers.`,
  },
  tail: {
    usage: 'waystation tail [FLAG…]',
    about: 'Prints a line for each item that arrives, until Ctrl-C.',
    flags: TAIL_FLAGS,
    notes: [
      `A line contains time, service, kind, name, duration or level, envelope and status: kept, pending or copy. When upstream
rejects an envelope, another line contains the outcome.`,
    ],
    exitCodes: `130 after Ctrl-C, ${USAGE_ERROR}, 3 no collector answers.`,
  },
  export: {
    usage: 'waystation export [FLAG…] [FILE|FOLDER]',
    about: 'Writes what was recorded as lines of JSON or OTLP: of a running collector, or of a run.',
    flags: EXPORT_FLAGS,
    notes: [
      `ndjson has one item per line, as tail --json prints it. otlp has one request of OTLP/JSON per line: spans, logs, metrics, and
errors as log records; stderr counts the rest.`,
    ],
    exitCodes: `0 all was written, 1 stored bytes of some envelopes cannot be read, ${USAGE_ERROR},
3 no collector answers, or the run cannot be opened.`,
  },
  doctor: {
    usage: 'waystation doctor [FLAG…]',
    about: 'Checks the path from the SDK to upstream, and says what is broken and how to fix it.',
    flags: DOCTOR_FLAGS,
    notes: [
      `It sends no telemetry. It requests the page of your app with an unsampled trace (sentry-trace: …-0), which SDKs do not
record unless a tracesSampler ignores the parent's decision.`,
    ],
    exitCodes: `0 nothing is broken, 1 something is, ${USAGE_ERROR}, 3 no collector answers.`,
  },
  init: {
    usage: 'waystation init --agents [FLAG…]',
    about: 'Shows the files with which coding agents find Waystation in your project, and writes them.',
    flags: INIT_FLAGS,
    notes: [
      `.mcp.json gets an entry that starts waystation mcp, .cursor/mcp.json and .vscode/mcp.json too where these folders exist, and
.claude/skills/waystation the skill. Other entries stay; a second time changes nothing.`,
    ],
    exitCodes: `0 everything is as shown, 1 a file was not written, ${USAGE_ERROR}.`,
  },
  mcp: {
    usage: 'waystation mcp [FLAG…]',
    about: 'Serves the verbs as tools to a coding agent, by the Model Context Protocol on standard input and output.',
    flags: MCP_FLAGS,
    notes: [`The agent starts it. It starts no collector, and says how to start one. Its answers are scrubbed.`],
    exitCodes: `0 the agent closed the input, ${USAGE_ERROR}.`,
  },
  salvage: {
    usage: 'waystation salvage FOLDER --to FOLDER',
    about: 'Copies the readable part of a damaged data folder to a new one, and reports the rest.',
    flags: SALVAGE_FLAGS,
    notes: [
      `Stop the collector first. The damaged folder is only read. Pending envelopes stay pending in the new folder; start
with WAYSTATION_DATA set to it. The index is not copied, because the next start builds it.`,
    ],
    exitCodes: `0 all was copied, 1 a part could not be read, ${USAGE_ERROR}, 3 nothing could be copied.`,
  },
}

export const COMMAND_NAMES = Object.keys(COMMANDS)

/**
 * The commands of verbs. Their flags and the rest of their help are those of the verb, so they are in its bundle.
 * @type {Readonly<Record<string, string>>}
 */
export const VERB_COMMANDS = {
  status: 'Says who is connected, what arrived, what became of it, and what is wrong now.',
  search: 'Searches traces, spans, errors, logs, metrics or envelopes, newest first.',
  get: 'Shows one trace, span, error, event or envelope by its id.',
  mark: 'Names this moment, for --since and for compare; without a name it lists the marks.',
  compare: 'Says what came, went and changed between two marks, traces or runs.',
  explain: 'Explains what became of an envelope, an item, an event or a trace, or why nothing arrives.',
}

/**
 * The bundle of a command. `run` explains an unknown one.
 * @param {string} name
 */
export const bundleOf = (name) =>
  name === 'mcp' || Object.hasOwn(VERB_COMMANDS, name) ? 'ask.js' : `${COMMAND_NAMES.includes(name) ? name : 'run'}.js`

/**
 * The text of `waystation NAME --help`.
 * @param {string | undefined} name
 * @returns {string | null} `null` for an unknown command
 */
export function commandHelp(name) {
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) return null
  return [
    command.usage,
    command.about,
    describeFlags(command.flags),
    ...command.notes,
    `Exit code: ${command.exitCodes}`,
  ].join('\n\n')
}

/** The flags of a command for `--help`: one line each, with default and valid values. @param {FlagTable} flags */
export const describeFlags = (flags) =>
  Object.entries(flags)
    .map(([flag, { value, about, ...rest }]) => {
      const limits = [
        ...(rest.default === undefined ? [] : [`default: ${rest.default}`]),
        ...(rest.valid === undefined ? [] : [`valid: ${rest.valid}`]),
      ]
      const text = limits.length === 0 ? about : `${about} (${limits.join('; ')})`
      return wrap(`  ${[flag, ...(value === undefined ? [] : [value])].join(' ')}`.padEnd(FLAG_COLUMNS), text)
    })
    .join('\n')

/** The text of `waystation --help`. */
export const generalHelp = () => `waystation COMMAND

${Object.entries(COMMANDS)
  .map(([name, { about }]) => wrap(`  ${name.padEnd(8)}`, about))
  .join('\n')}

Bounded answers for people and coding agents:

${Object.entries(VERB_COMMANDS)
  .map(([name, about]) => wrap(`  ${name.padEnd(8)}`, about))
  .join('\n')}

waystation COMMAND --help describes the flags of a command; waystation --version prints the version.
npm start, in a clone of Waystation, also starts its app with the lab.

Exit code: 0 pass, 1 fail, ${USAGE_ERROR}, 3 could not be judged; 128 and the signal number after a signal.`

const FLAG_COLUMNS = 25
const COLUMNS = 120

/** Writes text after a label, wrapped and indented like the label. @param {string} label @param {string} text */
function wrap(label, text) {
  const start = label.endsWith(' ') ? label : `${label} `
  const lines = [start]
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1] ?? ''
    if (line.trim() !== '' && `${line}${word}`.length > COLUMNS)
      lines.push(`${' '.repeat(Math.min(start.length, FLAG_COLUMNS))}${word} `)
    else lines[lines.length - 1] = `${line}${word} `
  }
  return lines.map((line) => line.trimEnd()).join('\n')
}
