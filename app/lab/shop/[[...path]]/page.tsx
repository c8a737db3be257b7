import { LabPlacePage } from '../../lab-place-page'

interface Props {
  readonly params: Promise<{ readonly path?: readonly string[] }>
}

export default async function ShopPage({ params }: Props) {
  const { path = [] } = await params
  return <LabPlacePage title={['Shop', ...path].join(' / ')} route="/lab/shop/[[...path]]" />
}
