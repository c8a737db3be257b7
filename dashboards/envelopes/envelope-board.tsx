'use client'

import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { printable } from '../ui/printable'
import { EnvelopeView } from './envelope-view'
import { useEnvelope } from './use-envelope'

/** What cannot be a number of an envelope is not asked for: no answer would make it one. */
export function EnvelopeBoard({ number }: { readonly number: string }) {
  return /^[1-9]\d{0,15}$/.test(number) ? <OneEnvelope seq={Number(number)} /> : <NoNumber text={number} />
}

function NoNumber({ text }: { readonly text: string }) {
  return (
    <div className={board.wide}>
      <div className={board.missing}>
        <h1>This is not the number of an envelope</h1>
        <p>
          <code>{printable(text)}</code> is none: digits are meant, from 1. See all <a href="/envelopes">envelopes</a>.
        </p>
      </div>
    </div>
  )
}

/** `/envelopes/{n}`: one envelope, whole. */
function OneEnvelope({ seq }: { readonly seq: number }) {
  const { envelope, course, ...live } = useEnvelope(seq)
  return (
    <div className={board.wide}>
      <ConnectionBanner {...live} />
      {envelope === undefined && live.failure === null && <p className="small faint">Reading …</p>}
      {envelope === null && (
        <div className={board.missing}>
          <h1>Envelope {seq} is not here</h1>
          <p>
            Numbers are given in the order of arrival and never twice. If it has not arrived yet, it appears here when
            it does; if it was here before, it made room for newer ones or was cleared, or the data folder is another
            one now: see <a href="/storage">storage</a>.
          </p>
          <p>
            See all <a href="/envelopes">envelopes</a>.
          </p>
        </div>
      )}
      {envelope && <EnvelopeView envelope={envelope} course={course} connection={<ConnectionState {...live} />} />}
    </div>
  )
}
