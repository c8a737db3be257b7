'use client'

import { useState } from 'react'
import { Arrival } from './arrival'
import type { Caused, LabAction } from './entry'
import { EntryRow } from './entry-row'
import { ItemArrival } from './item-arrival'
import styles from './lab.module.css'

type Run =
  | { readonly state: 'idle' | 'running' }
  | { readonly state: 'done'; readonly caused: Caused }
  | { readonly state: 'failed'; readonly why: string }

export function ActionRow({ action }: { readonly action: LabAction }) {
  const [run, setRun] = useState<Run>({ state: 'idle' })
  const start = async () => {
    setRun({ state: 'running' })
    try {
      setRun({ state: 'done', caused: await action.run() })
    } catch (error) {
      setRun({ state: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
  }
  return (
    <EntryRow expect={action.expect} result={<Result id={action.id} run={run} />}>
      <button
        className="button"
        type="button"
        data-testid={`lab-${action.id}`}
        disabled={run.state === 'running'}
        onClick={start}
      >
        {action.title}
      </button>
    </EntryRow>
  )
}

function Result({ id, run }: { readonly id: string; readonly run: Run }) {
  return (
    <div className={`${styles.result} small`} role="status" data-testid={`lab-${id}-result`} data-state={run.state}>
      {run.state === 'running' && <p className="faint">Under way…</p>}
      {run.state === 'failed' && <p className={styles.failed}>Not caused: {run.why}</p>}
      {run.state === 'done' && <What id={id} caused={run.caused} />}
    </div>
  )
}

function What({ id, caused }: { readonly id: string; readonly caused: Caused }) {
  return (
    <dl className={styles.what}>
      <dt>Trace</dt>
      <dd>
        <a
          className="mono"
          href={`/traces/${caused.traceId}`}
          aria-label={`Trace ${caused.traceId}`}
          data-testid={`lab-${id}-trace`}
        >
          {caused.traceId}
        </a>
      </dd>
      {caused.eventId !== undefined && (
        <>
          <dt>Event</dt>
          <dd>
            <a
              className="mono"
              href={`/events/${caused.eventId}`}
              aria-label={`Event ${caused.eventId}`}
              data-testid={`lab-${id}-event`}
            >
              {caused.eventId}
            </a>
          </dd>
        </>
      )}
      {caused.seen !== undefined && (
        <>
          <dt>Seen here</dt>
          <dd>
            {caused.seen.map((fact) => (
              <p key={fact}>{fact}</p>
            ))}
          </dd>
        </>
      )}
      <dt>Arrived</dt>
      <dd>
        {caused.item !== undefined && (
          <p>
            <ItemArrival key={caused.traceId} type={caused.item} traceId={caused.traceId} />
          </p>
        )}
        <Arrival key={caused.traceId} traceId={caused.traceId} ownEventId={caused.eventId ?? null} />
      </dd>
    </dl>
  )
}
