import type { LabAction } from '../entry'
import { failingCall } from './failing-call'

export const routeHandlerError: LabAction = {
  kind: 'run',
  id: 'route-handler-error',
  title: 'Server error in a route handler',
  expect: 'The call in the browser, the server segment under it, and the server’s event.',
  run: () => failingCall('lab: route handler error', '/lab/api/route-error'),
}
