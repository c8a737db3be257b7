interface Named {
  readonly service: string
  readonly op: string | null
  readonly name: string
  readonly sdk: string | null
}

/** The SDK of an OpenTelemetry segment says where it runs; its `service` is the name of the program. */
const isOfWebSdk = ({ sdk }: Pick<Named, 'sdk'>): boolean => sdk?.endsWith('.webjs') === true

/** Whether a segment is a page load or a navigation. OpenTelemetry names a page load `documentLoad`. */
export const isPageLoad = (segment: Pick<Named, 'op' | 'name' | 'sdk'>): boolean =>
  segment.op === 'pageload' || segment.op === 'navigation' || (segment.name === 'documentLoad' && isOfWebSdk(segment))

/** Whether a browser sent the segment. */
export const isOfBrowser = (segment: Named): boolean =>
  segment.service === 'browser' || isPageLoad(segment) || isOfWebSdk(segment)
