import type { LabPlace } from '../entry'

export const serverPageError: LabPlace = {
  kind: 'visit',
  id: 'server-page-error',
  title: 'Server error in a page',
  expect: 'The fallback with the server-side text and a digest; two events in one trace, server and browser.',
  href: '/lab/server-error',
  document: true,
}
