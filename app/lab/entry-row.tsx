'use client'

import Link from 'next/link'
import { type ReactNode, useEffect, useState } from 'react'
import { browserReady } from '../../lib/sdk/browser'
import { ItemArrival, TraceArrival } from './arrival'
import type { Caused, LabAction, LabPlace } from './entry'
import styles from './lab.module.css'

interface Props {
  readonly expect: string
  readonly children: ReactNode
  readonly result?: ReactNode
}

export function EntryRow({ expect, children, result = null }: Props) {
  return (
    <li className={styles.entry}>
      <div>{children}</div>
      <p className={`${styles.expect} soft small`}>{expect}</p>
      {result}
    </li>
  )
}

/** Without prefetch, so that the request of the navigation is part of its trace. */
export function PlaceRow({ place }: { readonly place: LabPlace }) {
  const testId = `lab-${place.id}`
  return (
    <EntryRow expect={place.expect}>
      {place.document ? (
        <a className="button" href={place.href} data-testid={testId}>
          {place.title}
        </a>
      ) : (
        <Link className="button" href={place.href} prefetch={false} data-testid={testId}>
          {place.title}
        </Link>
      )}
    </EntryRow>
  )
}

type Run =
  | { readonly state: 'idle' | 'running' }
  | { readonly state: 'done'; readonly caused: Caused }
  | { readonly state: 'failed'; readonly why: string }

/** False until the page is traced. Until then a button would do nothing, or cause requests without trace headers. */
function useTracing(): boolean {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    let shown = true
    void browserReady().then(() => shown && setReady(true))
    return () => {
      shown = false
    }
  }, [])
  return isReady
}

interface LabButtonProps {
  readonly id: string
  readonly title: string
  readonly isBusy?: boolean
  readonly onClick: () => void
}

export function LabButton({ id, title, isBusy = false, onClick }: LabButtonProps) {
  const works = useTracing()
  return (
    <button className="button" type="button" data-testid={`lab-${id}`} disabled={!works || isBusy} onClick={onClick}>
      {title}
    </button>
  )
}

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
      <LabButton id={action.id} title={action.title} isBusy={run.state === 'running'} onClick={start} />
    </EntryRow>
  )
}

function Result({ id, run }: { readonly id: string; readonly run: Run }) {
  return (
    <div className={`${styles.result} small`} role="status" data-testid={`lab-${id}-result`} data-state={run.state}>
      {run.state === 'running' && <p className="faint">Running…</p>}
      {run.state === 'failed' && <p className={styles.failed}>Failed: {run.why}</p>}
      {run.state === 'done' && <CausedFacts id={id} caused={run.caused} />}
    </div>
  )
}

function CausedFacts({ id, caused }: { readonly id: string; readonly caused: Caused }) {
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
      {caused.observed !== undefined && (
        <>
          <dt>Observed</dt>
          <dd>
            {caused.observed.map((fact) => (
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
        <TraceArrival key={caused.traceId} traceId={caused.traceId} ownEventId={caused.eventId ?? null} />
      </dd>
    </dl>
  )
}
