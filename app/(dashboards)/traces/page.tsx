import type { Metadata } from 'next'
import { TracesBoard } from '../../../dashboards/traces/traces-board'

export const metadata: Metadata = { title: 'Traces' }

export default function Page() {
  return <TracesBoard />
}
