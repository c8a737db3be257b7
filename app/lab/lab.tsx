'use client'

import { useEffect, useState } from 'react'
import { client } from '../../dashboards/ui/client'
import { hostName, isLoopbackName } from '../../lib/protocol/request'
import { CollectorError } from '../../lib/wire/errors'
import type { Overview } from '../../lib/wire/overview'
import { handledError, promiseRejection, renderError, unhandledError } from './actions/browser-errors'
import { foreignCall, localhostCall, slowCall } from './actions/calls'
import { breadcrumbs, spans } from './actions/large-amounts'
import { mixedTrace, openTelemetrySpans } from './actions/open-telemetry'
import { interceptedPage, itemPage, missingItem, missingPage, optionalPathPage, pathPage } from './actions/places'
import { edgeError, routeHandlerError, serverActionError, serverPageError } from './actions/server-errors'
import { log, metric } from './actions/signals'
import type { LabGroup } from './entry'
import { ActionRow, EntryRow, LabButton, PlaceRow } from './entry-row'
import styles from './lab.module.css'
import { LabError, newMarker } from './lab-error'

/** The lab page: a person causes telemetry on purpose and follows it. */
export function Lab() {
  const [broken, setBroken] = useState(false)
  if (broken) throw new LabError(`while rendering (${newMarker()})`)
  return (
    <div className="page stack">
      <h1>Lab</h1>
      <p className="soft">
        Cause telemetry, then follow it. Each action has its own trace, and everything is tagged{' '}
        <code>waystation.lab</code>. <a href="/lab/components">Components of the boards</a>
      </p>
      <LabRelay />
      {LAB.map((group) => (
        <section key={group.title} className={styles.group}>
          <h2>{group.title}</h2>
          <ul className={styles.entries}>
            {group.entries.map((entry) => {
              if (entry.kind === 'run') return <ActionRow key={entry.id} action={entry} />
              if (entry.kind === 'visit') return <PlaceRow key={entry.id} place={entry} />
              return (
                <EntryRow key={entry.id} expect={entry.expect}>
                  <LabButton id={entry.id} title={entry.title} onClick={() => setBroken(true)} />
                </EntryRow>
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  )
}

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'stays'; readonly why: string }
  | { readonly kind: 'switch'; readonly upstreams: readonly string[]; readonly relay: boolean }
  | { readonly kind: 'unknown'; readonly why: string }

/** The switch that allows lab telemetry to leave this machine. Only a person sets it, and only here. */
function LabRelay() {
  const [state, setState] = useState<State>({ kind: 'loading' })
  useEffect(() => {
    const stop = new AbortController()
    client
      .overview(stop.signal)
      .then((overview) => setState(stateOf(overview)))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setState(unknown(error))
      })
    return () => stop.abort()
  }, [])
  const change = async (relay: boolean) => {
    try {
      const inForce = await client.setLabRelay(relay)
      setState((before) => (before.kind === 'switch' ? { ...before, relay: inForce } : before))
    } catch (error) {
      setState(unknown(error))
    }
  }
  return (
    <div className="panel small" data-testid="lab-relay" data-state={state.kind}>
      {state.kind === 'loading' && <p className="faint">Loading where this telemetry goes…</p>}
      {state.kind === 'stays' && <p>{state.why}</p>}
      {state.kind === 'unknown' && <p>It is unknown where this telemetry goes: {state.why}</p>}
      {state.kind === 'switch' && (
        <label className="row">
          <input
            type="checkbox"
            checked={state.relay}
            data-testid="lab-relay-switch"
            onChange={(event) => change(event.target.checked)}
          />
          Relay lab telemetry from this machine to {state.upstreams.join(', ')}
        </label>
      )}
    </div>
  )
}

function stateOf(overview: Overview): State {
  if (overview.localOnly) return { kind: 'stays', why: 'Waystation is local only: nothing leaves this machine.' }
  const away = overview.upstreams.filter((one) => !one.standIn && !isHere(one.label)).map((one) => one.label)
  if (away.length > 0) return { kind: 'switch', upstreams: away, relay: overview.labRelay }
  return { kind: 'stays', why: 'The upstream is on this machine and receives lab telemetry too.' }
}

/** The label is the host and project of an upstream. */
const isHere = (label: string): boolean => isLoopbackName(hostName(label.replace(/\/.*$/, '')))

const unknown = (error: unknown): State => ({
  kind: 'unknown',
  why: error instanceof CollectorError ? error.message : 'the collector’s answer could not be read',
})

const LAB: readonly LabGroup[] = [
  { title: 'Errors in the browser', entries: [handledError, unhandledError, promiseRejection, renderError] },
  { title: 'Errors on the server', entries: [serverPageError, routeHandlerError, serverActionError, edgeError] },
  { title: 'Large amounts', entries: [breadcrumbs, spans] },
  { title: 'Calls', entries: [slowCall, localhostCall, foreignCall] },
  { title: 'Navigations', entries: [itemPage, pathPage, optionalPathPage, interceptedPage] },
  { title: 'Missing pages', entries: [missingPage, missingItem] },
  { title: 'Other signals', entries: [log, metric] },
  { title: 'OpenTelemetry', entries: [mixedTrace, openTelemetrySpans] },
]
