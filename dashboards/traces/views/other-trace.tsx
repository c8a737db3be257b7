'use client'

import { useState } from 'react'
import { formatDurationUs, plural } from '../../../lib/format'
import { hex32 } from '../../../lib/protocol/ids'
import type { Result } from '../../../lib/protocol/result'
import type { TraceSummary } from '../../../lib/wire/trace'
import { client } from '../../ui/client'
import { OTHER_PARAM } from '../../ui/links'
import { useSearchParam } from '../../ui/page-address'
import { printable } from '../../ui/printable'
import { formatDateTime } from '../../ui/times'
import { useAnswer } from '../../ui/use-answer'
import { pickFile } from '../dropped-file'
import { type TraceData, TraceStore } from '../trace-data'
import { openTraceFile, type TraceFile } from '../trace-file'
import styles from './compare-view.module.css'

/** Traces of the same name that are offered, and of which the median is taken. */
const MOST_OFFERED = 20
/** The median of fewer traces says nothing. */
const FEWEST_OF_MEDIAN = 3
/** The value of the parameter that chooses the median. */
const MEDIAN = 'median'
/** Chosen to open a trace file, for example of another run. */
const FILE = 'file'

interface OtherTrace {
  /** The trace with which this one is compared; `null` until it is chosen and read. */
  readonly other: TraceData | null
  /** Reads spans of the other trace, if it is from a file. */
  readonly file: TraceFile | null
  /** Why there is none; else how it was chosen, if that was not by its id. */
  readonly text: string | null
  readonly value: string
  readonly choices: readonly (readonly [value: string, text: string])[]
  readonly choose: (value: string) => void
}

/** The other trace of a comparison. The page's address names its id, or the median of its name. */
export function useOtherTrace({ summary, journal }: Pick<TraceData, 'summary' | 'journal'>): OtherTrace {
  const [chosen, choose] = useSearchParam(OTHER_PARAM)
  const offered = useAnswer(summary.name, (signal) => tracesLike(summary, signal), String(journal))
  const like = offered.answer
  const median = medianTrace(like ?? [])
  const id = chosen === MEDIAN ? (median?.traceId ?? null) : hex32(chosen)
  const { answer, failure } = useAnswer(id, (signal) => readTrace(id ?? '', signal))
  const [opened, setOpened] = useState<Result<TraceFile, string> | null>(null)
  const isOffered = like?.some(({ traceId }) => traceId === id) === true
  const textWithout = (): string => {
    if (opened?.ok === false) return opened.error
    if (failure !== null || (chosen === MEDIAN && offered.failure !== null))
      return 'The other trace could not be read. Choose it again when the collector answers.'
    if (answer === null) return 'The other trace is not stored (any more): it was evicted or cleared.'
    if (id !== null || (chosen === MEDIAN && like === undefined)) return 'Loading …'
    if (chosen === MEDIAN) return fewText(like?.length ?? 0)
    if (chosen !== null)
      return `${OTHER_PARAM}=${printable(chosen)}: must be a trace id, which has 32 hexadecimal digits, or ${MEDIAN}.`
    return like?.length === 0
      ? 'No other trace of this name is stored. Do again what caused this one, and then compare the two.'
      : 'Choose an earlier or later trace of this name above. Spans are matched by service, op and name, without ids and numbers, along the path from the root.'
  }
  const how = chosen === MEDIAN ? `A is the median of ${plural(like?.length ?? 0, 'trace')}.` : null
  const file = opened?.ok === true ? opened.value : null
  const open = async (picked: File): Promise<void> => setOpened(await openTraceFile(picked))
  return {
    other: file?.trace ?? (opened === null ? (answer ?? null) : null),
    file,
    text:
      file !== null
        ? `A is from the file ${printable(file.trace.file ?? '')}.`
        : answer && opened === null
          ? how
          : textWithout(),
    value: opened === null ? (chosen ?? '') : FILE,
    choices: [
      ['', 'choose a trace'],
      [FILE, 'a trace file, for example of another run …'],
      [MEDIAN, `median of the last ${like === undefined || median === null ? MOST_OFFERED : like.length} of this name`],
      // Also a trace with another name, or an older one.
      ...tracesIn(answer && chosen !== MEDIAN && !isOffered ? [answer.summary, ...(like ?? [])] : (like ?? []), chosen),
    ],
    choose: (value) => {
      if (value === FILE) pickFile((picked) => void open(picked))
      else {
        setOpened(null)
        choose(value === '' ? null : value)
      }
    },
  }
}

/** The trace with the lower median of the durations, the newest of equal ones; `null` when there are fewer than three. */
export function medianTrace(newestFirst: readonly TraceSummary[]): TraceSummary | null {
  if (newestFirst.length < FEWEST_OF_MEDIAN) return null
  const sorted = [...newestFirst].sort((one, other) => one.durationUs - other.durationUs)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  return newestFirst.find(({ durationUs }) => durationUs === middle?.durationUs) ?? null
}

const fewText = (count: number): string =>
  `${count === 0 ? 'No' : `Only ${count}`} other ${count === 1 ? 'trace' : 'traces'} of this name ${count === 1 ? 'is' : 'are'} stored. A median needs at least ${FEWEST_OF_MEDIAN}.`

/** The newest traces with this name, without itself. */
async function tracesLike({ name, traceId }: TraceSummary, signal: AbortSignal): Promise<readonly TraceSummary[]> {
  const { traces } = await client.traces({ filter: { name, own: 'show' }, limit: MOST_OFFERED + 1, signal })
  return traces.filter((one) => one.traceId !== traceId).slice(0, MOST_OFFERED)
}

/** Another trace is read once: it is no longer growing. @returns `null` when it is not stored */
async function readTrace(traceId: string, signal: AbortSignal): Promise<TraceData | null> {
  const store = new TraceStore()
  for await (const piece of client.traceColumns(traceId, {}, signal)) store.add(piece)
  return store.snapshot()
}

/** Ids and labels, with that of the chosen trace also when it is not among those that are offered. */
function tracesIn(offered: readonly TraceSummary[], chosen: string | null): OtherTrace['choices'] {
  const known = offered.map(({ traceId, startUs, durationUs, spanCount, errorCount }): readonly [string, string] => [
    traceId,
    [
      formatDateTime(startUs / 1000),
      formatDurationUs(durationUs),
      plural(spanCount, 'span'),
      ...(errorCount > 0 ? [plural(errorCount, 'error')] : []),
      traceId.slice(0, 8),
    ].join(' · '),
  ])
  return chosen === null || chosen === MEDIAN || known.some(([id]) => id === chosen)
    ? known
    : [[chosen, printable(chosen)], ...known]
}

/** Chooses the other trace. */
export const OtherTraceField = ({ value, choices, choose }: Pick<OtherTrace, 'value' | 'choices' | 'choose'>) => (
  <label className={styles.choice}>
    Compare with{' '}
    <select className="field" value={value} onChange={({ target }) => choose(target.value)}>
      {choices.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
