import type { LabRenderError } from '../entry'

export const renderError: LabRenderError = {
  kind: 'render',
  id: 'render-error',
  title: 'Render error',
  expect: 'The fallback with the client-side text, without a digest; it names its event and trace.',
}
