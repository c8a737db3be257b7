import type { Metadata } from 'next'
import { NotFoundMark } from './not-found-mark'

export const metadata: Metadata = { title: 'Not found' }

/** Works without scripts. With scripts, `NotFoundMark` keeps this page out of telemetry. */
export default function NotFound() {
  return (
    <div className="page stack" data-testid="not-found">
      <NotFoundMark />
      <h1>This page does not exist</h1>
      <p className="soft">Missing pages send no telemetry; a client report counts what was dropped.</p>
      <p className="soft">
        The address of an envelope is <code>/envelopes/</code> and its number. The address of a trace is{' '}
        <code>/traces/</code>, that of an error <code>/events/</code>, and 32 hexadecimal digits. See all{' '}
        <a href="/envelopes">envelopes</a> or <a href="/traces">traces</a>.
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
