import type { Metadata } from 'next'
import { EnvelopeBoard } from '../../../../dashboards/envelopes/envelope-board'
import { titleOf } from '../../../../lib/wire/pages'

interface Props {
  readonly params: Promise<{ readonly seq: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: titleOf('/envelopes/:id', (await params).seq) }
}

export default async function Page({ params }: Props) {
  return <EnvelopeBoard number={(await params).seq} />
}
