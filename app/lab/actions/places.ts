import type { LabPlace } from '../entry'

const named = 'One navigation, named by its path.'

export const itemPage: LabPlace = {
  kind: 'visit',
  id: 'visit-id',
  title: 'Navigate to [id]',
  expect: named,
  href: '/lab/items/7',
  document: false,
}

export const pathPage: LabPlace = {
  kind: 'visit',
  id: 'visit-path',
  title: 'Navigate to [...path]',
  expect: named,
  href: '/lab/docs/traces/reading',
  document: false,
}

export const optionalPathPage: LabPlace = {
  kind: 'visit',
  id: 'visit-optional-path',
  title: 'Navigate to [[...path]]',
  expect: named,
  href: '/lab/shop',
  document: false,
}

export const interceptedPage: LabPlace = {
  kind: 'visit',
  id: 'visit-intercepted',
  title: 'Navigate to an intercepted route',
  expect: 'A navigation to /lab/photos/1 that opens over this page. As a new document it is a separate page.',
  href: '/lab/photos/1',
  document: false,
}

export const missingPage: LabPlace = {
  kind: 'visit',
  id: 'not-found',
  title: 'Load a missing page',
  expect: 'No segment arrives, neither from the browser nor from the server; client reports count what was dropped.',
  href: '/lab/nowhere',
  document: true,
}

export const missingItem: LabPlace = {
  kind: 'visit',
  id: 'visit-not-found',
  title: 'Navigate to a missing page',
  expect: 'The same for a navigation inside the app.',
  href: '/lab/items/none',
  document: false,
}
