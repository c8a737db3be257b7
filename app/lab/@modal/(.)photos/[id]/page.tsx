import { LabDialog } from '../../../lab-dialog'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

/** The photo's address, opened from inside the lab: a dialog over the previous page. */
export default async function InterceptedPhotoPage({ params }: Props) {
  const { id } = await params
  return <LabDialog title={`Photo ${id}, intercepted`} route="/lab/(.)photos/[id]" />
}
