'use client'

import { useEffect, useState } from 'react'
import { hostName, isLoopbackName } from '../../lib/protocol/request'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import type { Overview } from '../../lib/wire/overview'

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'stays'; readonly why: string }
  | { readonly kind: 'switch'; readonly upstreams: readonly string[]; readonly relay: boolean }
  | { readonly kind: 'unknown'; readonly why: string }

/** May what the lab causes leave this machine? Only a person says so, and only here. */
export function LabRelay() {
  const [state, setState] = useState<State>({ kind: 'asking' })
  useEffect(() => {
    const stop = new AbortController()
    collectorClient('/collector', fetch)
      .overview(stop.signal)
      .then((overview) => setState(stateOf(overview)))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setState(unknown(error))
      })
    return () => stop.abort()
  }, [])
  const change = async (relay: boolean) => {
    try {
      const inForce = await collectorClient('/collector', fetch).setLabRelay(relay)
      setState((before) => (before.kind === 'switch' ? { ...before, relay: inForce } : before))
    } catch (error) {
      setState(unknown(error))
    }
  }
  return (
    <div className="panel small" data-testid="lab-relay" data-state={state.kind}>
      {state.kind === 'asking' && <p className="faint">Asking the collector where this goes…</p>}
      {state.kind === 'stays' && <p>{state.why}</p>}
      {state.kind === 'unknown' && <p>Where this goes is not known: {state.why}</p>}
      {state.kind === 'switch' && (
        <label className="row">
          <input
            type="checkbox"
            checked={state.relay}
            data-testid="lab-relay-switch"
            onChange={(event) => change(event.target.checked)}
          />
          Let what the lab causes leave this machine, to {state.upstreams.join(', ')}
        </label>
      )}
    </div>
  )
}

function stateOf(overview: Overview): State {
  if (overview.localOnly) return { kind: 'stays', why: 'Waystation is local only: nothing leaves this machine.' }
  const away = overview.upstreams.filter((one) => !one.standIn && !isHere(one.label)).map((one) => one.label)
  if (away.length > 0) return { kind: 'switch', upstreams: away, relay: overview.labRelay }
  return { kind: 'stays', why: 'The upstream is on this machine, and gets what the lab causes too.' }
}

/** A label is host and project. */
const isHere = (label: string): boolean => isLoopbackName(hostName(label.replace(/\/.*$/, '')))

const unknown = (error: unknown): State => ({
  kind: 'unknown',
  why: error instanceof CollectorError ? error.message : 'the collector’s answer cannot be read',
})
