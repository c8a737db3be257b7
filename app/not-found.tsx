import type { Metadata } from 'next'
import { NotFoundMark } from './not-found-mark'
import { VisitorPage } from './visitor-page'

export const metadata: Metadata = { title: 'Not found' }

/** Works without scripts. With scripts, `NotFoundMark` keeps this page out of telemetry. */
export default function NotFound() {
  return (
    <VisitorPage testId="not-found">
      <NotFoundMark />
      <h1>This page does not exist</h1>
      <p className="soft">Missing pages send no telemetry; a client report counts what was dropped.</p>
      <p className="soft">
        The address of an envelope is <code>/envelopes/</code> and its number. The address of a trace is{' '}
        <code>/traces/</code>, that of an error <code>/events/</code>, and 32 hexadecimal digits.
      </p>
      <p className="row">
        <a className="button" href="/">
          Home
        </a>
      </p>
    </VisitorPage>
  )
}
