/**
 * Who may import whom, and why. A file is under the rule with the longest folder that holds it; what is inside that
 * folder it may always import. `type X` allows types of X alone, which are gone before anything runs.
 */
export interface ImportRule {
  /** From the root; `.` is the root itself, a trailing `/*` the files of a folder without those below it. */
  readonly folder: string
  readonly may: readonly string[]
  readonly why: string
}

export const IMPORT_RULES: readonly ImportRule[] = [
  // lib: from the wire format upwards
  {
    folder: 'lib/protocol',
    may: ['node:zlib'],
    why: 'the format knows nobody; the events of old SDKs come deflated, and door and readers must inflate them alike',
  },
  { folder: 'lib/items', may: ['lib/protocol', 'zod'], why: 'a payload does not know that it will be a trace' },
  {
    folder: 'lib/trace',
    may: ['lib/protocol', 'lib/items'],
    why: 'segments and trees are pure: no clock, no fetch, no node:',
  },
  {
    folder: 'lib/walk',
    may: ['lib/protocol', 'lib/items', 'lib/trace'],
    why: 'one walk over a record makes rows, takes them away and is what verdicts are judged from; it knows not where that goes',
  },
  {
    folder: 'lib/evidence',
    may: ['lib/protocol', 'lib/items', 'lib/trace', 'lib/walk'],
    why: 'what was recorded, as it is judged: the same bytes give the same evidence, whoever asks: no clock, no fetch',
  },
  {
    folder: 'lib/scrub',
    may: ['lib/protocol'],
    why: 'what is a secret is told from the bytes alone, alike in every thread: no clock, no fetch, no node:',
  },
  {
    folder: 'lib/contract',
    may: [],
    why: 'its values are read by a visitor’s browser, which loads nothing else for them',
  },
  {
    folder: 'lib/contract/rules',
    may: ['lib/protocol', 'lib/items', 'lib/scrub', 'lib/evidence', 'lib/contract'],
    why: 'a rule reads recorded facts, and is pure; no visitor downloads it',
  },
  {
    folder: 'lib/expectations',
    may: [
      'lib/protocol',
      'lib/trace',
      'lib/evidence',
      'lib/contract',
      // What is told of a title goes to logs of CI and into a repository.
      'lib/scrub/scrub-text',
      // A mistyped name of a plan or of criteria is told with the one that was meant.
      'lib/config/nearest',
      'type lib/wire',
      'zod',
    ],
    why: 'a verdict is pure: boards, command, Vitest and Playwright share one evaluator',
  },
  {
    folder: 'lib/testing',
    may: [
      'lib/protocol',
      'lib/evidence',
      'lib/expectations',
      'lib/contract',
      'lib/wire',
      'lib/trace',
      // A mistyped option is told with the one that was meant.
      'lib/config/nearest',
    ],
    why: 'a kit is adapters: it reads by the wire, judges by expectations, and knows neither the collector nor its files',
  },
  {
    folder: 'lib/testing/vitest',
    may: ['lib/evidence', 'lib/expectations', 'lib/wire', 'lib/testing', 'node:', 'vitest', 'zod'],
    why: 'what only this runner needs: nobody else loads it',
  },
  {
    folder: 'lib/testing/playwright',
    may: [
      'lib/config/nearest',
      'lib/protocol',
      'lib/evidence',
      'lib/expectations',
      'lib/contract',
      'lib/wire',
      'lib/testing',
      'node:',
      '@playwright/test',
    ],
    why: 'what only this runner needs: nobody else loads it',
  },
  {
    folder: 'lib/wire',
    may: ['lib/protocol', 'zod'],
    why: 'both ends parse with it, so it holds shapes and knows neither end',
  },
  {
    folder: 'lib/telemetry',
    // A stamp is read alike by the tunnel and beside it, and a page named alike.
    may: ['lib/contract', 'lib/protocol/page-header', 'lib/protocol/stamp', '@sentry/nextjs'],
    why: 'it is the only place that configures an SDK',
  },
  {
    folder: 'lib/stamping',
    may: ['lib/protocol', 'lib/telemetry', 'node:'],
    why: 'it is mounted in any server beside an SDK of its own, of which it knows the shape alone',
  },
  { folder: 'lib/tunnel', may: ['lib/protocol', 'node:'], why: 'it can be mounted in any Node app' },
  {
    folder: 'lib/config',
    may: ['lib/protocol', 'node:fs', 'node:path', 'zod'],
    why: 'one schema of the environment serves app and collector, and belongs to neither',
  },
  {
    folder: 'lib/guard',
    may: ['lib/protocol', 'node:crypto'],
    why: 'who may look is decided by the same function in app and collector',
  },

  // collector: stages in a line, which do not import each other
  {
    folder: 'collector/receive',
    may: [
      'lib/protocol',
      // What a client report says is booked with the envelope that brought it, so it is read at the door.
      'lib/items/client-report',
      'type collector/spool',
      'type collector/errors',
      // zstd is decoded beside the main thread.
      'collector/thread-call',
      'fzstd',
      'node:stream',
      'node:worker_threads',
      'node:zlib',
    ],
    why: 'a stage does not import another; it hands on what the spool takes, or the refusal that a route answers',
  },
  {
    folder: 'collector/spool',
    may: [
      'lib/protocol',
      'type lib/wire',
      'collector/damage',
      'collector/fault-point',
      'collector/thread-call',
      'better-sqlite3',
      'node:crypto',
      'node:fs',
      'node:path',
      'node:perf_hooks',
      'node:process',
      'node:worker_threads',
      'node:zlib',
    ],
    why: 'the record knows no rows and no readers; it tells its journal in the shape that readers are shown',
  },
  {
    folder: 'collector/walk',
    may: [
      'lib/protocol',
      'lib/items',
      'lib/trace',
      'lib/walk',
      'collector/spool/record-body',
      'collector/spool/submission',
    ],
    why: 'it brings what the spool keeps to the walk that knows no files',
  },
  {
    folder: 'collector/digest',
    may: [
      'lib/items',
      'type lib/wire',
      'collector/damage',
      'collector/disk-full',
      'collector/fault-point',
      'collector/spool',
      'collector/store',
      'collector/thread-call',
      'collector/walk',
      'type better-sqlite3',
      'node:fs',
      'node:path',
      'node:worker_threads',
    ],
    why: 'a stage does not import another; it follows the spool and writes rows',
  },
  {
    folder: 'collector/store',
    may: [
      'lib/protocol',
      'lib/items',
      'lib/trace',
      'lib/walk',
      'type lib/wire',
      // The worst of several fates is found by one function, for the rows and for the pages.
      'lib/wire/fate',
      'collector/damage',
      'collector/spool',
      'collector/thread-call',
      'collector/walk',
      'type better-sqlite3',
      'node:fs',
      'node:path',
      'node:worker_threads',
    ],
    why: 'rows are a digest of records: readers open both files and answer in the shapes of the wire, and know no stage',
  },
  {
    folder: 'collector/relay',
    may: [
      'lib/contract',
      'lib/protocol',
      'type lib/wire',
      'collector/fault-point',
      'collector/slots',
      // Why scrubbing, which is handed to it, gave nothing back.
      'collector/stopping',
      'collector/unscrubbed',
      'collector/spool/submission',
      'type collector/spool',
      'collector/store/listed-owed',
      'type collector/store',
      'node:crypto',
      'node:stream',
      // Upstream's words may come compressed.
      'node:zlib',
      'type undici',
      'undici/lib/dispatcher/agent.js',
    ],
    why: 'a stage does not import another; spool and readers are handed to it',
  },
  {
    folder: 'collector/room',
    may: ['type lib/wire', 'collector/damage', 'collector/disk-full', 'collector/spool/room', 'type collector/spool'],
    why: 'it decides what goes first; what is deleted, and how, is the verbs of those who own it',
  },
  {
    folder: 'collector/judge',
    may: [
      'lib/protocol',
      'lib/evidence',
      'lib/contract',
      'type lib/wire',
      'type collector/live',
      'collector/spool',
      'collector/stopping',
      'collector/thread-call',
      'type better-sqlite3',
      'node:path',
      'node:worker_threads',
    ],
    why: 'it brings what the spool keeps to rules that know no files, beside the threads that answer',
  },
  { folder: 'collector/live', may: ['type lib/wire'], why: 'it passes facts on and has no database' },
  {
    folder: 'collector/stand-in',
    may: [
      'lib/protocol',
      // The shape of a script is the same for a person, a test and the stand-in.
      'lib/wire/stand-in',
      'node:crypto',
      'node:http',
      'node:net',
      'node:perf_hooks',
      'node:stream',
      'node:zlib',
    ],
    why: 'it plays upstream, which knows nothing of a collector',
  },
  {
    folder: 'collector/routes',
    may: [
      'lib/config',
      'lib/contract',
      'lib/guard',
      'lib/protocol',
      'type lib/wire',
      // An address is read by the list of names that it was written by.
      'lib/wire/filter',
      'collector/receive',
      'collector/live',
      'collector/errors',
      'collector/unscrubbed',
      // A script and an order are read by the shape that they were written in.
      'lib/wire/stand-in',
      'lib/wire/dead-letter',
      'type collector/stand-in',
      'type collector/spool',
      'type collector/store',
      // What a cursor may be is one question, asked of an address and of a page.
      'collector/store/page',
      // What is asked for is cut into words as what is stored was.
      'collector/store/words',
      // The answer to an SDK tells what upstream limits just now.
      'type collector/relay/limits',
      'type @hono/node-server',
      'hono',
      'node:fs/promises',
      'zod',
    ],
    why: 'a route parses, calls one verb and maps the result; what has a life is handed to it',
  },
  {
    folder: 'collector/cli',
    may: [
      'lib/config',
      'lib/protocol',
      'lib/wire',
      // What a command judges it judges as boards and kit do.
      'lib/contract',
      'lib/evidence',
      'lib/expectations',
      'collector/config',
      // Before a recording is deleted: does a collector use it, and does it owe anything?
      'collector/spool/idle-folder',
      '@next/env',
      'esbuild',
      'node:',
      'zod',
    ],
    why: 'commands start processes and ask them; they have no database',
  },
  {
    folder: 'collector/*',
    may: ['collector', 'lib', './package.json', '@hono/node-server', 'hono', 'node:'],
    why: 'the composition root makes the objects, passes them down and closes them',
  },

  {
    folder: 'dashboards',
    may: [
      'lib/config/nearest',
      // Where a finding opens is one question, for a board and for a report.
      'lib/expectations/links',
      'lib/protocol',
      'lib/trace',
      'lib/wire',
      'react',
      '@tanstack/react-virtual',
    ],
    why: 'boards know neither the collector nor Next, so that the same boards can be built as static files',
  },
  {
    folder: 'app',
    may: ['dashboards', 'lib', './package.json', '@sentry/nextjs', 'next', 'node:', 'react'],
    why: 'a page mounts; the collector is another process, reached by its address',
  },
  {
    folder: '.',
    may: ['app', 'lib', '@sentry/nextjs', 'next'],
    why: 'these files are where the tools look; they call what app and lib hold',
  },
]
