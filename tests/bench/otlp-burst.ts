import { BURST_SECONDS, type Round } from './ingest-bursts'
import { OTLP_SPANS } from './otlp-request'
import { median, ms, textTable, whole } from './report'
import { type Bench, type CollectorRun, closedLoop, inCollector, runCollector } from './run-load'

/** Sentry's path for OTLP, with the key of the benchmark's upstream. */
const OTLP_PATH = '/api/1/integration/otlp/v1/traces?sentry_key=bench'
/** Exporters of several servers; a request is twelve times as large as an envelope. */
const OTLP_CONNECTIONS = 8
/** A transaction of `bench:ingest` is a span with 20 children. */
const SPANS_OF_ENVELOPE = 21

/** Sends OTLP requests to a collector as fast as it answers, until all of them are digested and relayed. */
export function otlpBurst(bench: Bench): Promise<CollectorRun> {
  return inCollector(bench, async (collector) => {
    const order = (seconds: number) => ({
      ...closedLoop(collector.url, seconds, []),
      body: 'otlp' as const,
      path: OTLP_PATH,
      connections: OTLP_CONNECTIONS,
    })
    await runCollector(bench, collector, order(1))
    return runCollector(bench, collector, order(BURST_SECONDS))
  })
}

/** A line per encoding, in spans. */
export function spansTable(rounds: readonly Round[], otlp: CollectorRun): string {
  const bursts = rounds.map(({ ours }) => ours)
  return textTable(
    ['spans in a burst', 'accepted/s', 'p50 ms', 'CPU µs/span', 'bytes/span', 'drain s'],
    [
      ['envelopes, 21 spans each', ...cellsOf(bursts, SPANS_OF_ENVELOPE)],
      [`OTLP protobuf, ${OTLP_SPANS} spans each`, ...cellsOf([otlp], OTLP_SPANS)],
    ],
  )
}

function cellsOf(runs: readonly CollectorRun[], spans: number): readonly string[] {
  const middle = (of: (run: CollectorRun) => number): number => median(runs.map(of))
  return [
    whole(middle(({ sent }) => sent.whole.perSecond) * spans),
    ms(middle(({ sent }) => sent.whole.p50)),
    ms(middle(({ cpuMicrosPerEnvelope }) => cpuMicrosPerEnvelope) / spans),
    whole(middle(({ sent }) => sent.bytes / sent.sent) / spans),
    middle(({ drainSeconds }) => drainSeconds).toFixed(1),
  ]
}
