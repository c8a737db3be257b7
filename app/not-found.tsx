import type { Metadata } from 'next'
import { NotFoundMark } from './not-found-mark'

export const metadata: Metadata = { title: 'Not found' }

/** Whole without scripts; they only tell telemetry that nothing of this page is to be sent. */
export default function NotFound() {
  return (
    <div className="page stack" data-testid="not-found">
      <NotFoundMark />
      <h1>There is no page here</h1>
      <p className="soft">Missing pages are left out of telemetry: nothing of this visit is sent but its count.</p>
      <p className="soft">
        An envelope’s address is <code>/envelopes/</code> and its number; that of a trace <code>/traces/</code>, of an
        error <code>/events/</code>, and 32 hexadecimal digits. See all <a href="/envelopes">envelopes</a> or{' '}
        <a href="/traces">traces</a>.
      </p>
      <p className="row">
        <a className="button" href="/">
          Home
        </a>
        <a className="button" href="/lab">
          Lab
        </a>
      </p>
    </div>
  )
}
