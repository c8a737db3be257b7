import type { LabAction } from '../entry'
import { neighbourCall } from './neighbour-call'

export const foreignCall: LabAction = {
  kind: 'run',
  id: 'foreign-call',
  title: 'Call to a foreign origin',
  expect: 'The same neighbour as 127.0.0.1: no trace headers are sent, and its segment is in a trace of its own.',
  run: () => neighbourCall('lab: foreign call', '127.0.0.1'),
}
