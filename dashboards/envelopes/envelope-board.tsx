'use client'

import { useState } from 'react'
import { isOtlp } from '../../lib/protocol/request'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { ConnectionBanner } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { formatDateTime } from '../ui/times'
import { TopBar } from '../ui/top-bar'
import { type LiveState, useLive } from '../ui/use-live'
import { EnvelopeView } from './envelope-view'
import type { EnvelopeHistory } from './timeline-steps'

/** An invalid number is not queried. */
export function EnvelopeBoard({ number }: { readonly number: string }) {
  return /^[1-9]\d{0,15}$/.test(number) ? <OneEnvelope seq={Number(number)} /> : <NoNumber text={number} />
}

function NoNumber({ text }: { readonly text: string }) {
  return (
    <>
      <TopBar title="Envelope" />
      <div className={board.missing}>
        <h2>Not an envelope number</h2>
        <p>
          <code>{printable(text)}</code> is not an envelope number, which is a whole number from 1. See all{' '}
          <a href="/envelopes">envelopes</a>.
        </p>
      </div>
    </>
  )
}

function OneEnvelope({ seq }: { readonly seq: number }) {
  const { envelope, history, ...live } = useEnvelope(seq)
  return (
    <>
      <TopBar
        title={`${envelope && isOtlp(envelope.endpoint) ? 'OTLP request' : 'Envelope'} ${seq}`}
        live={live}
        scope={envelope && `project ${printable(envelope.project)}, received ${formatDateTime(envelope.receivedAt)}`}
      />
      <div className={board.wide}>
        <ConnectionBanner {...live} />
        {envelope === undefined && live.failure === null && <p className="small faint">Loading …</p>}
        {envelope === null && (
          <div className={board.missing}>
            <h2>Envelope {seq} is not here</h2>
            <p>
              Envelopes are numbered in order of arrival, and numbers are never reused. If it arrives, the page updates
              automatically. It may also have been evicted or cleared, or the collector uses another data folder now:
              see <a href="/storage">storage</a>.
            </p>
            <p>
              See all <a href="/envelopes">envelopes</a>.
            </p>
          </div>
        )}
        {envelope && <EnvelopeView envelope={envelope} history={history} />}
      </div>
    </>
  )
}

interface EnvelopeState extends LiveState {
  /** `undefined` until the first read; `null` when no such envelope is recorded yet. */
  readonly envelope: EnvelopeDetail | null | undefined
  readonly history: EnvelopeHistory
}

const NO_HISTORY: EnvelopeHistory = { storedAt: null, outcomes: [] }

function useEnvelope(seq: number): EnvelopeState {
  const [envelope, setEnvelope] = useState<EnvelopeDetail | null | undefined>(undefined)
  const [history, setHistory] = useState<EnvelopeHistory>(NO_HISTORY)
  const live = useLive({
    read: async (signal) => {
      const [read, decided] = await Promise.all([client.envelope(seq, signal), client.outcomesOf(seq, signal)])
      setEnvelope((before) => read ?? before ?? null)
      if (read === null) return
      const fact = history.storedAt === null ? await client.fact(read.journal, signal) : null
      setHistory((before) => ({
        storedAt: fact?.n === read.journal ? fact.at : before.storedAt,
        outcomes: decided?.outcomes ?? before.outcomes,
      }))
    },
    // A `digested` fact names the last envelope of its batch, so it may include this one.
    concerns: (fact) => fact.seq === seq || fact.kind === 'digested' || fact.kind === 'cleared',
  })
  return { ...live, envelope, history }
}
