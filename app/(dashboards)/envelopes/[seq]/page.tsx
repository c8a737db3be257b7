import type { Metadata } from 'next'
import { EnvelopeBoard } from '../../../../dashboards/envelopes/envelope-board'

interface Props {
  readonly params: Promise<{ readonly seq: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Envelope ${(await params).seq.slice(0, 16)}` }
}

export default async function Page({ params }: Props) {
  return <EnvelopeBoard number={(await params).seq} />
}
