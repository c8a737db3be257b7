import type { Metadata } from 'next'
import { EventsBoard } from '../../../dashboards/events/events-board'

export const metadata: Metadata = { title: 'Errors' }

export default function Page() {
  return <EventsBoard />
}
