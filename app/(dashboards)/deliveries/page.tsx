import type { Metadata } from 'next'
import { DeliveriesBoard } from '../../../dashboards/deliveries/deliveries-board'

export const metadata: Metadata = { title: 'Deliveries' }

export default function Page() {
  return <DeliveriesBoard />
}
