import { percentile } from './figures'
import type { Round } from './ingest-bursts'
import type { IngestFound } from './ingest-report'
import { type Goal, goalAtLeast, goalBelow, median } from './text-table'

const MB = 1e6
const SUSTAINED = 'sustained 60 s / bare (stretch 0.25)'

/** What is wanted of intake, and what was found: ratios are taken in each round, and are medians. */
export function ingestGoals({ rounds, sustained, half, starts, stored }: IngestFound): readonly Goal[] {
  const middle = (of: (round: Round) => number | null): number | null => {
    const values = rounds.map(of).filter((value) => value !== null)
    return values.length === 0 ? null : median(values)
  }
  const bareRate = ({ bare }: Round): number => bare.sent.windows[0]?.perSecond ?? Number.NaN
  const bare = middle(bareRate) ?? Number.NaN
  const ofHalf = (of: (found: NonNullable<typeof half>) => number): number | null => (half === null ? null : of(half))
  return [
    goalAtLeast(
      'burst, digest waiting / bare',
      0.6,
      middle((round) => round.waiting.waits.perSecond / bareRate(round)),
    ),
    goalAtLeast(
      'burst, digest running / bare',
      0.45,
      middle((round) => round.running && round.running.waits.perSecond / bareRate(round)),
    ),
    sustained !== null && !sustained.sustained
      ? { ...goalAtLeast(SUSTAINED, 0.15, null), found: 'none held', met: false }
      : goalAtLeast(SUSTAINED, 0.15, sustained && sustained.run.sent.whole.perSecond / bare),
    goalBelow(
      'answer p99 at half of that',
      50,
      'ms',
      ofHalf(({ run }) => run.sent.whole.p99),
    ),
    goalBelow(
      'accepted to queryable p99',
      250,
      'ms',
      ofHalf(({ queryable }) => percentile(queryable, 0.99)),
    ),
    goalBelow(
      'resident memory at half, peak',
      320,
      'MB',
      ofHalf(({ run }) => run.residentPeakBytes / MB),
    ),
    goalBelow(
      'its rise over the last two thirds',
      16,
      'MB',
      ofHalf(({ residentRise }) => residentRise / MB),
    ),
    goalBelow(
      'CPU / bare, burst (stretch 2.5)',
      4,
      '×',
      middle(({ ours, bare: other }) => ours.cpuMicrosPerEnvelope / other.cpuMicrosPerEnvelope),
    ),
    goalBelow(
      'CPU / bare, at half (stretch 2.5)',
      4,
      '×',
      ofHalf(({ run, bare: other }) => run.cpuMicrosPerEnvelope / other.cpuMicrosPerEnvelope),
    ),
    goalBelow(
      'disk, record / raw',
      0.35,
      '',
      middle(({ disk }) => disk.record),
    ),
    goalBelow(
      'disk, record and rows / raw',
      1,
      '',
      middle(({ disk }) => disk.withRows),
    ),
    goalBelow('start to ready, empty', 500, 'ms', median(starts)),
    goalBelow(
      `start to ready, ${stored === null ? '1' : (stored.bytes / 1e9).toFixed(2)} GB stored`,
      1500,
      'ms',
      stored === null ? null : median(stored.starts),
    ),
  ]
}
