import type { Metadata } from 'next'
import { MetricsBoard } from '../../../dashboards/signals/signals-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/vitals') }

export default function Page() {
  return <MetricsBoard />
}
