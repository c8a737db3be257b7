import type { Metadata } from 'next'
import { DeliveriesBoard } from '../../../dashboards/deliveries/deliveries-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/deliveries') }

export default function Page() {
  return <DeliveriesBoard />
}
