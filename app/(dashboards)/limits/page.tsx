import type { Metadata } from 'next'
import { LimitsBoard } from '../../../dashboards/limits/limits-board'

export const metadata: Metadata = { title: 'Limits' }

export default function Page() {
  return <LimitsBoard />
}
