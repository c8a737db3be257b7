/**
 * The import rules. A file is under the rule with the longest folder that contains it, and may always import its own
 * folder. `type X` allows only types of X, which are erased before anything runs.
 */
export interface ImportRule {
  /** From the root; `.` is the root itself, a trailing `/*` means the files of a folder without its subfolders. */
  readonly folder: string
  readonly may: readonly string[]
  readonly why: string
}

export const IMPORT_RULES: readonly ImportRule[] = [
  { folder: 'lib/*', may: [], why: 'every folder may import these, so they import nothing' },
  {
    folder: 'lib/protocol',
    may: ['zod', 'node:zlib'],
    why: 'formats depend on nothing, so boards can import them; old SDKs deflate their events',
  },
  {
    folder: 'lib/otlp',
    may: ['lib/protocol', 'lib/scrub', 'protobufjs/light.js'],
    why: 'it decodes and scrubs OpenTelemetry; the protobuf library is too large for a page, so boards never import it',
  },
  { folder: 'lib/contract', may: [], why: 'visitors download these values, so they bring nothing else' },
  {
    folder: 'lib/wire',
    may: ['lib/protocol', 'zod'],
    why: 'both ends parse with it; only its client calls fetch',
  },
  {
    folder: 'lib/grouping',
    may: ['lib/protocol', 'node:crypto'],
    why: 'the group of an error is a pure function of its event: no clock, no source map, no I/O',
  },
  {
    folder: 'lib/filter',
    may: ['lib/protocol', 'lib/wire', 'lib/config/nearest'],
    why: 'boards and routes read queries with the same pure functions',
  },
  {
    folder: 'lib/scrub',
    may: ['lib/protocol'],
    why: 'app and collector scrub alike; it is pure: no clock, no fetch, no node:',
  },
  {
    folder: 'lib/guard',
    may: ['lib/protocol', 'node:crypto'],
    why: 'app and collector decide with the same functions who may read',
  },
  {
    folder: 'lib/config',
    may: ['lib/protocol', 'node:fs', 'node:path', 'zod'],
    why: 'one schema of the environment serves app and collector',
  },
  {
    folder: 'lib/verdict',
    may: [
      'lib/protocol',
      'lib/otlp',
      'lib/contract',
      'lib/scrub',
      'lib/config/nearest',
      'type lib/wire',
      'lib/wire/ledger-account',
      'zod',
    ],
    why: 'a verdict is a pure function of recorded data: no clock, no I/O',
  },
  {
    folder: 'lib/ask',
    may: ['lib/protocol', 'lib/wire', 'lib/verdict', 'lib/scrub', 'lib/filter', 'lib/config/nearest', 'zod'],
    why: 'the verbs read by functions that the caller passes: they know no process; queries of lists have the boards\u2019 grammar',
  },
  {
    folder: 'lib/sdk',
    may: [
      'lib/contract',
      'lib/protocol/request',
      '@sentry/nextjs',
      '@opentelemetry/api',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/sdk-trace-web',
    ],
    why: 'it is the only folder that configures an SDK, of Sentry or of OpenTelemetry',
  },
  {
    folder: 'lib/unminify',
    may: ['@jridgewell/trace-mapping'],
    why: 'kit and collector map frames alike; it is pure: it reads no file and no address',
  },
  { folder: 'lib/tunnel', may: ['lib/protocol', 'node:'], why: 'any Node app can mount it' },
  {
    folder: 'lib/kit',
    may: [
      'lib/protocol',
      'lib/contract',
      'lib/wire',
      'lib/verdict',
      'lib/sdk',
      'lib/unminify',
      'lib/config/nearest',
      'node:',
      'zod',
      'vitest',
      '@playwright/test',
    ],
    why: 'adapters between a test runner and the verdict; it does not know the collector',
  },
  {
    folder: 'collector/runtime',
    may: ['type lib/wire', 'type hono', 'better-sqlite3', 'node:'],
    why: 'threads, timers, connections, error codes and the form of a refusal know no stage',
  },
  {
    folder: 'collector/spool',
    may: ['lib/protocol', 'lib/wire', 'lib/format', 'lib/time', 'collector/runtime', 'better-sqlite3', 'node:'],
    why: 'the record does not know its readers',
  },
  {
    folder: 'collector/index',
    may: ['lib', 'collector/spool/local', 'collector/runtime', 'better-sqlite3', 'node:'],
    why: 'it follows the spool and answers in the shapes of lib/wire',
  },
  {
    folder: 'collector/judge',
    may: ['lib', 'collector/spool/local', 'collector/runtime', 'type better-sqlite3', 'node:'],
    why: 'it reads the record on its own thread and calls lib/verdict',
  },
  {
    folder: 'collector/maps',
    may: [
      'lib/protocol/request',
      'lib/unminify',
      'type lib/time',
      'type lib/wire',
      'collector/runtime',
      'type better-sqlite3',
      'node:',
    ],
    why: 'it reads scripts, source maps and sources from disk on its own thread; it knows no stage',
  },
  {
    folder: 'collector/runs',
    may: [
      'lib',
      'collector/spool/files',
      'collector/index/files',
      'collector/runtime',
      'collector/launch',
      'type collector/api',
      './package.json',
      'type better-sqlite3',
      'modern-tar/fs',
      'node:',
      'zod',
    ],
    why: 'it saves, opens and lists runs; of their databases it opens copies',
  },
  {
    folder: 'collector/intake',
    may: [
      'lib',
      'type collector/spool/spool',
      'collector/runtime',
      'type collector/relay',
      '@hono/node-server',
      'hono',
      'fzstd',
      'node:',
      'zod',
    ],
    why: 'stages do not call each other; collector/*.ts composes them',
  },
  {
    folder: 'collector/api',
    may: [
      'lib',
      'type collector/spool/spool',
      'type collector/index/index',
      'collector/runtime',
      'type collector/relay',
      'type collector/stand-in',
      '@hono/node-server',
      'hono',
      'node:',
      'zod',
    ],
    why: 'stages do not call each other; collector/*.ts composes them',
  },
  {
    folder: 'collector/relay',
    may: [
      'lib',
      'collector/spool/spool',
      'collector/runtime',
      'node:',
      'type undici',
      'undici/lib/dispatcher/agent.js',
    ],
    why: 'stages do not call each other; collector/*.ts composes them',
  },
  {
    folder: 'collector/stand-in',
    may: ['lib', 'node:'],
    why: 'the mock upstream knows nothing of the collector it tests',
  },
  {
    folder: 'collector/launch',
    may: ['lib/config', 'lib/protocol', 'lib/wire', 'collector/config', 'esbuild', 'node:', 'zod'],
    why: 'it starts processes and opens no database',
  },
  {
    folder: 'collector/cli',
    may: [
      'lib',
      'collector/runs',
      'collector/launch',
      'collector/runtime/native-binding',
      'collector/spool/files',
      'esbuild',
      'node:',
    ],
    why: 'commands start processes and query them; salvage opens a database that no collector uses, the archive copies',
  },
  {
    folder: 'collector/*',
    may: [
      'collector/api',
      'collector/intake',
      'collector/judge/judge',
      'collector/maps/frame-mapper',
      'collector/maps/group-frames',
      'collector/relay',
      'collector/runs',
      'collector/runtime',
      'collector/stand-in',
      'collector/spool/spool',
      'collector/index/index',
      'lib',
      './package.json',
      '@hono/node-server',
      'hono',
      'node:',
    ],
    why: 'the composition root makes the objects, passes them down and closes them',
  },
  {
    folder: 'dashboards',
    may: ['lib', 'react', 'react-dom', 'react-dom/client', '@base-ui/react'],
    why: 'never collector, never next: the same boards can be built as static files',
  },
  {
    folder: 'app',
    may: ['dashboards', 'lib', './package.json', '@opentelemetry/api', '@sentry/nextjs', 'next', 'node:', 'react'],
    why: 'a page mounts a board; the collector is another process, reached by its address',
  },
  {
    folder: '.',
    may: ['app', 'lib', '@sentry/nextjs', 'next'],
    why: 'tools look for these files here; they call app and lib',
  },
]
