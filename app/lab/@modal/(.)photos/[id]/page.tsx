import { LabDialog } from '../../../lab-dialog'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

/** The same address, reached from inside the lab: it opens over the page that was left. */
export default async function InterceptedPhotoPage({ params }: Props) {
  const { id } = await params
  return <LabDialog title={`Photo ${id}, intercepted`} route="/lab/(.)photos/[id]" />
}
