/** What `waystation --help` prints. */
export const WAYSTATION_HELP = `waystation COMMAND

  run -- CMD …    runs a program with a recording of its own, says what arrived and what was lost, and judges it
  check           judges what a collector has recorded: the contract, errors, losses, budgets
  wait KIND …     waits for one item, such as: wait transaction name=/checkout
  tail            follows what arrives, a line each
  doctor          walks the chain from the SDK's option to upstream, and says which link is broken

Each command has --help. App and boards are started by npm start, in the folder of Waystation.

Exit code: 0 it holds, 1 it does not, 2 what was typed or set cannot be used, 3 it could not be judged; 128 and the
signal's number where a signal ended it.`

/** What `waystation run --help` prints. */
export const RUN_HELP = `waystation run [--relay] [--data FOLDER] [--settle SECONDS] [--no-check] [--rules A,B] … -- CMD [ARGUMENT…]

Runs CMD beside a collector of its own, with a fresh recording, and says on stderr what arrived, what was lost and why.
Then it judges what arrived as waystation check does. CMD's streams are its own.

  --relay              relay to the upstream that is configured; without it nothing leaves this machine, and only the stand-in
                       (WAYSTATION_UPSTREAM=stand-in), which the collector plays itself, is relayed to
  --data FOLDER        record there, in a new or an empty folder; else in a new folder below runs/ in WAYSTATION_DATA, of which the newest 20 are kept
  --settle SECONDS     how long to wait at the end for what is still under way (5)
  --no-check           say what arrived and judge nothing
  --rules, --severity, --baseline, --write-baseline, --budget, --junit, --report, --github, --config
                       as waystation check takes them

CMD finds the local DSN in SENTRY_DSN, and in NEXT_PUBLIC_SENTRY_DSN, VITE_SENTRY_DSN and their like, and the collector's
address in WAYSTATION_COLLECTOR_URL; NO_PROXY has this machine added. The first line on stderr names address and folder,
for waystation tail, wait, check and doctor beside it.

What upstream refused for what it is waits for a person: start the recording again, and send or drop it on the board
Deliveries or by POST /control/dead-letters.

Exit code: CMD's own where it failed; 128 and the signal's number where a signal ended it; 126 or 127 where it cannot be
run or found. Else the verdict's: 0 it holds, 1 it does not, 3 nothing arrived or what did cannot be judged.
2: what was typed or set cannot be used. 3: there is no recording, or not a whole one; CMD's own failure goes first.`

/** What `waystation check --help` prints. */
export const CHECK_HELP = `waystation check [--url URL] [--stamp S] [--since WHEN] [--rules A,B] [--severity warning|error] …

Judges what a collector has recorded: the contract's rules, errors that nobody expected, losses, budgets.

  --url URL            the collector; else WAYSTATION_COLLECTOR_URL, else the one that npm start starts here
  --stamp S            only what carries this stamp, and what nobody stamped and is of a trace that it told of
  --since WHEN         a journal number, a time, or how long ago: 90s, 10m, 2h; else from the beginning
  --rules A,B          these rules alone; each has to be judged
  --severity LEVEL     error (as it is): a warning is told and fails nothing; warning: it fails, too
  --baseline FILE      failures that this file knows are not counted
  --write-baseline FILE  write the failures of this recording into that file, and pass; leaks and budgets still fail
  --budget FILE        budgets as JSON, in place of those of the configuration
  --junit FILE         write the report as JUnit XML, too
  --report FILE        write the report as JSON, too
  --github             annotations and a step summary; of itself where GITHUB_ACTIONS is true
  --json               the report as JSON on stdout
  --config FILE        in place of the nearest waystation.config.ts, .mts, .js or .mjs

Rules: event-buffer, breadcrumbs, span-recorder, rate-limit-back-off, idle-timeout, final-timeout, heartbeat, environment,
prefetch-freshness, cache-duration, names, not-found, trace-headers, trace-headers-probe, tunnel, error-fallback,
unhandled-errors, privacy, duplicate-ids, oversized, n-plus-one, orphans, missing-release, clock-skew, errors, losses, budgets.

Of a recording of more than 20,000 submissions or 128 MiB the newest are judged, and the report says so.

Exit code: 0 it holds, 1 it does not, 2 what was typed or set cannot be used, 3 it could not be judged.`

/** What `waystation wait --help` prints. */
export const WAIT_HELP = `waystation wait KIND [FIELD=VALUE …] [FIELD~REGEX …] [--timeout SECONDS] [--since WHEN] …

Waits for one item that is as wanted, and prints it.

  KIND                 transaction, error, span, breadcrumb, log, metric, session, client-report, item, …
  FIELD=VALUE          the whole field is this text: op=pageload, attributes.http.response.status_code=500
  FIELD~REGEX          a part of it matches this regular expression: title~^TypeError, title~declined
  --timeout SECONDS    30
  --since WHEN         also what came before: a journal number (0 for all), a time, or how long ago: 90s, 10m, 2h
  --stamp S            only what carries this stamp, and what nobody stamped and is of a trace that it told of
  --json               all of the item, as JSON
  --url URL            the collector; else WAYSTATION_COLLECTOR_URL, else the one that npm start starts here

Exit code: 0 it came, 1 it did not, 2 what was typed or set cannot be used, 3 no collector answers.`

/** What `waystation tail --help` prints. */
export const TAIL_HELP = `waystation tail [--kind A,B] [--since WHEN] [--stamp S] [--json] [--url URL]

Follows what arrives: time, service, kind, name, duration or level, envelope, and where it stands as it arrives (kept here,
pending until upstream has it, a copy). What upstream did not accept has a line of its own when that is decided. Ctrl-C ends it.

  --kind A,B           of these kinds alone; else of all but spans, breadcrumbs and items as they were framed
  --since WHEN         also what came before: a journal number (0 for all), a time, or how long ago: 90s, 10m, 2h
  --stamp S            only what carries this stamp, and what nobody stamped and is of a trace that it told of
  --json               one line of JSON each
  --url URL            the collector; else WAYSTATION_COLLECTOR_URL, else the one that npm start starts here

Exit code: 130 after Ctrl-C, 2 what was typed or set cannot be used, 3 no collector answers, or none any more.`

/** What `waystation doctor --help` prints. */
export const DOCTOR_HELP = `waystation doctor [--url URL] [--app URL] [--tunnel PATH] [--dsn DSN] [--json]

Walks the chain from the SDK's option to upstream, says which link is broken, and how to mend it. It sends no telemetry;
it asks your app for its page, as not sampled (sentry-trace: …-0): of that an SDK makes no trace, unless it has a
tracesSampler that does not ask its parent.

  --url URL            the collector; else WAYSTATION_COLLECTOR_URL, else the one that npm start starts here
  --app URL            your app: is its tunnel there, and which DSN has its page?
  --tunnel PATH        where its tunnel has to be (else one at /tunnel is looked at, and may be missing)
  --dsn DSN            the DSN that your SDK has; else SENTRY_DSN
  --json               each link as JSON

Exit code: 0 nothing is broken, 1 a link is, 2 what was typed or set cannot be used, 3 no collector answers.`

/** By the command. */
export const HELP = {
  run: RUN_HELP,
  check: CHECK_HELP,
  wait: WAIT_HELP,
  tail: TAIL_HELP,
  doctor: DOCTOR_HELP,
}
