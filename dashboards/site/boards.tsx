import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../ui/tokens.css'
import '../ui/base.css'
import { applyPreferences } from '../ui/preferences'
import { startPages } from './shown-page'
import { Site } from './site'

applyPreferences()
const root = document.getElementById('boards')
if (root === null) throw new Error('the page of the boards has no element with the id boards')
createRoot(root).render(
  <StrictMode>
    <Site />
  </StrictMode>,
)
// Not awaited: the boards import this module, so they would wait for it, and it for them.
startPages().catch((error: unknown) => reportError(error))
