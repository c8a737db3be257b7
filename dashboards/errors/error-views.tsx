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
