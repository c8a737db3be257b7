import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { EnvelopeBoard } from '../../../../dashboards/envelope/components/envelope-board'

interface Props {
  readonly params: Promise<{ readonly seq: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Envelope ${(await params).seq.slice(0, 16)}` }
}

export default async function Page({ params }: Props) {
  const { seq } = await params
  if (!/^[1-9]\d{0,15}$/.test(seq)) notFound()
  return <EnvelopeBoard seq={Number(seq)} />
}
