import type { LabAction } from '../entry'
import { failingCall } from './failing-call'

export const edgeError: LabAction = {
  kind: 'run',
  id: 'edge-error',
  title: 'Server error in the edge runtime',
  expect: 'The same, from the edge SDK, which posts to the collector itself.',
  run: () => failingCall('lab: edge error', '/lab/api/edge-error'),
}
