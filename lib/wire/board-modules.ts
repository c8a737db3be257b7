import type { BoardPath } from './pages'

/**
 * The module of each page's board, in `dashboards/`. The collector preloads its scripts with the document; the same modules
 * are imported in `dashboards/site/page-boards.tsx`.
 */
export const BOARD_MODULES: Readonly<Record<BoardPath, string>> = {
  '/': 'home/home-board',
  '/traces': 'traces/traces-board',
  '/traces/:id': 'traces/trace-board',
  '/errors': 'errors/errors-board',
  '/errors/:id': 'errors/error-board',
  '/events': 'events/events-board',
  '/events/:id': 'errors/error-board',
  '/logs': 'signals/signals-board',
  '/vitals': 'signals/signals-board',
  '/envelopes': 'envelopes/envelopes-board',
  '/envelopes/:id': 'envelopes/envelope-board',
  '/deliveries': 'deliveries/deliveries-board',
  '/losses': 'losses/losses-board',
  '/limits': 'limits/limits-board',
  '/contract': 'contract/contract-board',
  '/runs': 'runs/runs-board',
  '/storage': 'storage/storage-board',
  '/stand-in': 'stand-in/stand-in-board',
}
