import { parseArguments } from '../../collector/cli/arguments'
import { describeFlags, type FlagTable } from '../../collector/cli/flags.js'
import { fail, type Result, succeed } from '../../lib/protocol/result'

/** A flag and its parser. */
interface BenchFlag<Value> {
  readonly value?: string
  readonly about: string
  readonly valid?: string
  readonly default?: string
  /** @param text null without the flag, empty for a switch. @returns undefined when the value is invalid */
  readonly read: (text: string | null, isQuick: boolean) => Value | undefined
}

type Table = FlagTable & Readonly<Record<`--${string}`, BenchFlag<unknown>>>
type Values<Flags extends Table> = {
  readonly [Name in keyof Flags]: Flags[Name] extends BenchFlag<infer Value> ? Exclude<Value, undefined> : never
}

/** The command line of a benchmark. */
export interface CommandLine<Flags> {
  /** As in `npm run bench:NAME`. */
  readonly name: string
  readonly help: string
  /** @returns the flags, or a message that names the wrong argument and what is valid */
  readonly parse: (args: readonly string[]) => Result<Flags, string>
}

type FlagsOf<Line> = Line extends CommandLine<infer Flags> ? Flags : never

function commandLine<const Flags extends Table, Parsed>(
  given: { readonly name: string; readonly about: string; readonly flags: Flags },
  build: (values: Values<Flags>) => Parsed,
): CommandLine<Parsed> {
  const { name, about, flags } = given
  return {
    name,
    help: [`npm run bench:${name} [-- FLAG…]`, about, describeFlags(flags)].join('\n\n'),
    parse: (args) => {
      const parsed = parseArguments<Table>(args, flags)
      if (!parsed.ok) return parsed
      const { value, has, wrong, positionals } = parsed.value
      if (positionals.length > 0) return fail(`bench:${name} takes only flags, got ${JSON.stringify(positionals[0])}`)
      const values: Record<string, unknown> = {}
      for (const [flag, { read }] of Object.entries(flags) as [`--${string}`, BenchFlag<unknown>][]) {
        values[flag] = read(value(flag), has('--quick'))
        if (values[flag] === undefined) return fail(wrong(flag))
      }
      return succeed(build(values as Values<Flags>))
    },
  }
}

const toggle = (about: string): BenchFlag<boolean> => ({ about, read: (text) => text !== null })

const text = (about: string): BenchFlag<string> => ({
  value: 'TEXT',
  about,
  read: (found) => found ?? '',
})

const count = (about: string, usual: number, quick: number, least = 1): BenchFlag<number> => ({
  value: 'N',
  about,
  valid: least === 1 ? 'a positive integer' : `an integer of at least ${least}`,
  default: `${usual}, or ${quick} with --quick`,
  read: (found, isQuick) => {
    const number = found === null ? (isQuick ? quick : usual) : Number(found)
    return Number.isInteger(number) && number >= least ? number : undefined
  },
})

const rate = (about: string, otherwise: string): BenchFlag<number | null> => ({
  value: 'N',
  about,
  valid: 'a positive number of envelopes per second, at least 1',
  default: otherwise,
  read: (found) => (found === null ? null : Number(found) >= 1 ? Number(found) : undefined),
})

const choice = <const Name extends string>(
  about: string,
  names: readonly Name[],
  otherwise: string,
): BenchFlag<Name | null> => ({
  value: 'NAME',
  about,
  valid: names.join(' or '),
  default: otherwise,
  read: (found) => (found === null ? null : names.find((name) => name === found)),
})

const PROFILE = toggle(
  'writes a CPU profile of each collector thread to .build/bench/profiles and sums them up at the end; slower',
)

export const INGEST = commandLine(
  {
    name: 'ingest',
    about: `Posts envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs, new ids in each) in turns to three programs: the
collector as npm start starts it, a bare Hono handler that drops the body and answers 200, and a floor program that does
only the unavoidable part of the work. The collector runs with everything on: it syncs, digests, and relays to an upstream
of the benchmark. Then it receives protobuf requests of OpenTelemetry with 512 spans each. Compare figures only within one run. Takes about 13 minutes on an otherwise idle machine.`,
    flags: {
      '--quick': toggle('one round and short loads; takes about a minute, too short for reliable figures'),
      '--rate': rate('uses this rate as the sustained rate, in envelopes per second', 'the benchmark searches for it'),
      '--rounds': count('rounds of bursts', 3, 1),
      '--only-bursts': toggle('ends after the bursts'),
      '--sender': choice(
        'posts over raw connections (socket) or through fetch, which saturates long before the bare handler and flatters all ratios',
        ['socket', 'fetch'],
        'socket',
      ),
      '--spotlight': toggle('also measures the sidecar of Spotlight, which it installs into a temporary folder'),
      '--profile': PROFILE,
    },
  },
  (values) => ({
    quick: values['--quick'],
    via: values['--sender'] ?? 'socket',
    rate: values['--rate'],
    rounds: values['--rounds'],
    spotlight: values['--spotlight'],
    profile: values['--profile'],
    onlyBursts: values['--only-bursts'],
  }),
)
export type IngestFlags = FlagsOf<typeof INGEST>

export const QUERY = commandLine(
  {
    name: 'query',
    about: `Queries a collector with 200,000 segments and 4 million spans while envelopes arrive: pages of traces by every filter,
alone and together, long traces, and other lists. The product's own writer and digest fill the store once, in .build/bench;
each run works on a copy. Takes about 3 minutes, the first time 3 more. Store and copy need about 1.2 GB of disk each.`,
    flags: {
      '--quick': toggle('a smaller store and fewer requests'),
      '--segments': count('size of the store', 200_000, 20_000, 1000),
      '--asks': count('requests per query', 200, 40),
      '--rate': rate(
        'envelopes per second that arrive meanwhile',
        'a quarter of the sustained rate, which is measured first',
      ),
      '--only': text('only queries with this text in their name'),
      '--redigest': toggle('rebuilds the rows of the store first'),
    },
  },
  (values) => ({
    segments: values['--segments'],
    asks: values['--asks'],
    rate: values['--rate'],
    only: values['--only'],
    redigest: values['--redigest'],
  }),
)
export type QueryFlags = FlagsOf<typeof QUERY>

/** Servers in place of upstream: the stand-in of the product, which parses and records posts; or a server that only counts. */
const SERVERS = ['stand-in', 'counter'] as const
export type Server = (typeof SERVERS)[number]

export const RELAY = commandLine(
  {
    name: 'relay',
    about: `Starts the collector on a folder of pending envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs), and measures how
fast it delivers them. In turns with it, a bare client posts the same bodies from memory to the same server over 30
keep-alive connections. The server is once the stand-in of the product, and once a server that only counts, which leaves
nearly all of the machine to the client. The first 2,000 posts of each are a warm-up and not counted. Compare figures only
within one run. Takes about two minutes on an otherwise idle machine.`,
    flags: {
      '--quick': toggle('one round of fewer envelopes'),
      '--records': count('pending envelopes', 12_000, 5000, 2500),
      '--rounds': count('rounds per server', 3, 1),
      '--server': choice('measures with this server only', SERVERS, 'both'),
      '--profile': PROFILE,
    },
  },
  (values) => ({
    records: values['--records'],
    rounds: values['--rounds'],
    profile: values['--profile'],
    servers: values['--server'] === null ? SERVERS : [values['--server']],
  }),
)
export type RelayFlags = FlagsOf<typeof RELAY>

const KIT_PARTS = ['wait', 'judge'] as const
export type KitPart = (typeof KIT_PARTS)[number]

export const KIT = commandLine(
  {
    name: 'kit',
    about: `Measures how long the test kit takes. Part wait: the time to start a collector for a test, and the time from the answer
of the collector until a wait resolves with the item. Part judge: reads page loads of 25 spans, one submission each, as
evidence and judges them by every rule of the contract, in one thread of a warmed-up process; each rule is timed alone.
Takes about a minute on an otherwise idle machine.`,
    flags: {
      '--quick': toggle('one round of fewer traces'),
      '--traces': count('judged traces', 10_000, 2000),
      '--rounds': count('rounds of judging; the report contains medians', 3, 1),
      '--only': choice('measures this part only', KIT_PARTS, 'both'),
    },
  },
  (values) => ({
    traces: values['--traces'],
    rounds: values['--rounds'],
    parts: values['--only'] === null ? KIT_PARTS : [values['--only']],
  }),
)
export type KitFlags = FlagsOf<typeof KIT>

export const START = commandLine(
  {
    name: 'start',
    about: `Packs the package, starts it in an empty folder, posts captured envelopes, and visits ten boards in a browser. Prints the size of the
package, the memory of collector and supervisor after a pause, and the time from the start of the process until the board of
traces shows rows, next to a program of Node that does nothing. Takes about two minutes.`,
    flags: {
      '--quick': toggle('fewer envelopes, a short pause, one start'),
      '--envelopes': count('envelopes', 1000, 100),
      '--idle': count('seconds between the last visit and the reading of the memory', 60, 2),
      '--rounds': count('starts; the report contains medians', 5, 1),
    },
  },
  (values) => ({
    envelopes: values['--envelopes'],
    idleSeconds: values['--idle'],
    rounds: values['--rounds'],
  }),
)
export type StartFlags = FlagsOf<typeof START>

export const ATTACK = commandLine(
  {
    name: 'attacks',
    about: `Starts app and collector for each attack on loopback: senders that stall, bodies that decode to much, unbounded bodies, abandoned
reads, a body that is slow to scrub. Prints how many honest posts were accepted meanwhile, next to a run without an attack, the
peak memory of both, and the time until a board's query is answered afterwards. Takes about four minutes.`,
    flags: {
      '--quick': toggle('each attack for 3 seconds'),
      '--seconds': count('seconds of each attack', 10, 3, 3),
      '--only': text('only attacks with this text in their name, next to the control'),
    },
  },
  (values) => ({ seconds: values['--seconds'], only: values['--only'] }),
)
export type AttackFlags = FlagsOf<typeof ATTACK>

export const EVICTION = commandLine(
  {
    name: 'eviction',
    about: `Posts envelopes of 11 KB at a fixed rate to a collector whose disk budget is full after a quarter of the time, while
programs that never wait use the processors. Counts the answers by status: each 503 is an envelope that waited too long for
eviction. Run it as a user without root, who cannot raise a priority again. Takes about a minute.`,
    flags: {
      '--quick': toggle('a shorter load'),
      '--rate': rate('envelopes per second', '200'),
      '--seconds': count('seconds of load', 60, 30),
      '--hogs': count('programs that never wait', 3, 3),
    },
  },
  (values) => ({ rate: values['--rate'] ?? 200, seconds: values['--seconds'], hogs: values['--hogs'] }),
)
export type EvictionFlags = FlagsOf<typeof EVICTION>
