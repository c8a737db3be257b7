import type { LabAction } from '../entry'
import { neighbourCall } from './neighbour-call'

export const localhostCall: LabAction = {
  kind: 'run',
  id: 'localhost-call',
  title: 'Call to another localhost port',
  expect: 'Trace headers are sent; the neighbour’s segment joins the trace.',
  run: () => neighbourCall('lab: localhost call', 'localhost'),
}
