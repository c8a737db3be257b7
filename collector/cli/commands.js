/** The commands, their bundles, and the text of `--help`. Imports only flags.js: help works before anything is installed. */

import {
  CHECK_FLAGS,
  DIFF_FLAGS,
  DOCTOR_FLAGS,
  describeFlags,
  EXPECT_FLAGS,
  EXPORT_FLAGS,
  INIT_FLAGS,
  MCP_FLAGS,
  MERGE_FLAGS,
  REPORT_FLAGS,
  RUN_FLAGS,
  RUNS_FLAGS,
  SALVAGE_FLAGS,
  SHOW_FLAGS,
  START_FLAGS,
  TAIL_FLAGS,
  WAIT_FLAGS,
  wrap,
} from './flags.js'

/** @typedef {import('./flags.js').FlagTable} FlagTable */
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
    usage: 'waystation init [FLAG…]',
    about: 'Puts the app of this folder on the path: shows what it installs and changes, and does it after a yes.',
    flags: INIT_FLAGS,
    notes: [
      `It sets up Next (SDK 7 to 11), Vite, Express and Hono by the package.json of this folder. It adds files, and edits those
whose shape it knows; for all others, and for Python and Go, it prints the text to paste. A second time changes nothing.
Then it posts an envelope without items to the DSN, and prints the address of the boards.`,
      `With --agents, .mcp.json gets an entry that starts waystation mcp, .cursor/mcp.json and .vscode/mcp.json too if these folders
exist, and .claude/skills/waystation the skill. Other entries stay.`,
    ],
    exitCodes: `0 everything is set up, 1 a step is left for you or failed, ${USAGE_ERROR}.`,
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
