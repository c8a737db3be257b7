/** One table of flags per command, for parsing and `--help`; commands.js has the commands. No imports: help works before anything is installed. */

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
  '--app': { about: 'puts the app of this folder on the path; the default without --agents' },
  '--agents': { about: 'writes the files with which coding agents find Waystation' },
  '--dsn': { value: 'DSN', about: 'the DSN for the SDK', default: 'that of the running collector' },
  '--dry-run': { about: 'shows the changes, and writes nothing' },
  '--yes': { about: 'installs and writes without asking' },
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

const FLAG_COLUMNS = 25
const COLUMNS = 120

/** Writes text after a label, wrapped and indented like the label. @param {string} label @param {string} text */
export function wrap(label, text) {
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
