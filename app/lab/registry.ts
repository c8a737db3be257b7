import { breadcrumbs } from './actions/breadcrumbs'
import { edgeError } from './actions/edge-error'
import { foreignCall } from './actions/foreign-call'
import { handledError } from './actions/handled-error'
import { localhostCall } from './actions/localhost-call'
import { log } from './actions/log'
import { metric } from './actions/metric'
import { interceptedPage, itemPage, missingItem, missingPage, optionalPathPage, pathPage } from './actions/places'
import { promiseRejection } from './actions/promise-rejection'
import { renderError } from './actions/render-error'
import { routeHandlerError } from './actions/route-handler-error'
import { serverActionError } from './actions/server-action-error'
import { serverPageError } from './actions/server-page-error'
import { slowCall } from './actions/slow-call'
import { spans } from './actions/spans'
import { unhandledError } from './actions/unhandled-error'
import type { LabGroup } from './entry'

/** Everything the lab can cause, in the order it is shown. */
export const LAB: readonly LabGroup[] = [
  { title: 'Errors in the browser', entries: [handledError, unhandledError, promiseRejection, renderError] },
  { title: 'Errors on the server', entries: [serverPageError, routeHandlerError, serverActionError, edgeError] },
  { title: 'A lot at once', entries: [breadcrumbs, spans] },
  { title: 'Calls', entries: [slowCall, localhostCall, foreignCall] },
  { title: 'Navigations', entries: [itemPage, pathPage, optionalPathPage, interceptedPage] },
  { title: 'Missing pages', entries: [missingPage, missingItem] },
  { title: 'Other signals', entries: [log, metric] },
]
