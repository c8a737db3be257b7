import type { Metadata } from 'next'
import { EnvelopesBoard } from '../../../dashboards/envelopes/envelopes-board'

export const metadata: Metadata = { title: 'Envelopes' }

export default function Page() {
  return <EnvelopesBoard />
}
