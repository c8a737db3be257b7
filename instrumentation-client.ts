import { startBrowser } from './lib/sdk/browser'

startBrowser(window, window.fetch.bind(window))

export { onRouterTransitionStart } from './lib/sdk/browser'
