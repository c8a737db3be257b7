import type { Metadata } from 'next'
import { LimitsBoard } from '../../../dashboards/limits/limits-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/limits') }

export default function Page() {
  return <LimitsBoard />
}
