import type { Metadata } from 'next'
import { LossesBoard } from '../../../dashboards/losses/losses-board'

export const metadata: Metadata = { title: 'Losses' }

export default function Page() {
  return <LossesBoard />
}
