import { handledError, promiseRejection, renderError, unhandledError } from './actions/browser-errors'
import { foreignCall, localhostCall, slowCall } from './actions/calls'
import { breadcrumbs, spans } from './actions/large-amounts'
import { interceptedPage, itemPage, missingItem, missingPage, optionalPathPage, pathPage } from './actions/places'
import { edgeError, routeHandlerError, serverActionError, serverPageError } from './actions/server-errors'
import { log, metric } from './actions/signals'
import type { LabGroup } from './entry'

/** All entries of the lab, in display order. */
export const LAB: readonly LabGroup[] = [
  { title: 'Errors in the browser', entries: [handledError, unhandledError, promiseRejection, renderError] },
  { title: 'Errors on the server', entries: [serverPageError, routeHandlerError, serverActionError, edgeError] },
  { title: 'Large amounts', entries: [breadcrumbs, spans] },
  { title: 'Calls', entries: [slowCall, localhostCall, foreignCall] },
  { title: 'Navigations', entries: [itemPage, pathPage, optionalPathPage, interceptedPage] },
  { title: 'Missing pages', entries: [missingPage, missingItem] },
  { title: 'Other signals', entries: [log, metric] },
]
