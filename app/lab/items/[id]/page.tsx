import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { markNotFound } from '../../../../lib/sdk/outgoing-filter'
import { LabPlacePage } from '../../lab-place-page'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Item ${(await params).id}` }
}

/** Only items with a numeric id exist. */
export default async function ItemPage({ params }: Props) {
  const { id } = await params
  if (!/^\d+$/.test(id)) {
    // A navigation inside the app answers 200 and renders the missing page, so the status does not show it.
    markNotFound()
    notFound()
  }
  return <LabPlacePage title={`Item ${id}`} route="/lab/items/[id]" />
}
