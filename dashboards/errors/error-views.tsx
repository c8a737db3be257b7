import { FirstSteps } from '../ui/board'
import { LinkSegments } from '../ui/segments'

/** Leads from groups to single events and back. */
export const ErrorViews = ({ current }: { readonly current: 'groups' | 'events' }) => (
  <LinkSegments
    label="Groups or events"
    current={current}
    segments={[
      { id: 'groups', label: 'Groups', href: '/errors' },
      { id: 'events', label: 'Events', href: '/events' },
    ]}
  />
)

/** How to get a first error, of groups and of single events alike. */
export const FirstErrorSteps = () => (
  <FirstSteps
    lab=" and press one of the errors. The lab links to the resulting event."
    own={
      <>
        {' '}
        and call <code>Sentry.captureException(new Error('hello'))</code>.
      </>
    }
  />
)
