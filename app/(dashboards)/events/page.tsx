import type { Metadata } from 'next'
import { EventsBoard } from '../../../dashboards/events/events-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/events') }

export default function Page() {
  return <EventsBoard />
}
