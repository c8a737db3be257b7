import { LabError, newMarker } from '../lab-error'

export default function ServerErrorPage(): never {
  throw new LabError(`in a page on the server (${newMarker()})`)
}
