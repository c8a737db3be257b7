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
      <p className="soft">Check the address for a mistake, or go home. The page may have been moved or removed.</p>
      <p className="row">
        <a className="button" href="/">
          Home
        </a>
      </p>
    </VisitorPage>
  )
}
