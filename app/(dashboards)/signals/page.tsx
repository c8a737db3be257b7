import type { Metadata } from 'next'
import { SignalsBoard } from '../../../dashboards/signals/signals-board'

export const metadata: Metadata = { title: 'Signals' }

export default function Page() {
  return <SignalsBoard />
}
