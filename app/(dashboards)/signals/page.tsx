import type { Metadata } from 'next'
import { SignalsBoard } from '../../../dashboards/signals/components/signals-board'

export const metadata: Metadata = { title: 'Signals' }

export default function Page() {
  return <SignalsBoard />
}
