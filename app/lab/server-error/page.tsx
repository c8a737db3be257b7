import { LabError, newMarker } from '../lab-error'

/** A page that throws on the server. */
export default function ServerErrorPage(): never {
  throw new LabError(`in a page on the server (${newMarker()})`)
}
