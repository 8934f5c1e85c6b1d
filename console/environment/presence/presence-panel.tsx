import { lazy } from 'react';
import { loadChunk } from '../../client/new-version.ts';
import { Waiting } from '../../parts/page/panel.tsx';
import type { ParamsOf } from '../../routes/params.ts';

// Only one tab of the page shows it, so it is loaded with the tab.
const Presence = lazy(() => loadChunk(() => import('./presence.tsx')));

interface PresencePanelProps {
  params: ParamsOf<'environment'>;
  page: number | undefined;
  lastReport: number | null;
}

/** When reports of an environment came, hour by hour, and below it what was missing. They come together, so that nothing moves. */
export const PresencePanel = (props: PresencePanelProps) => (
  <Waiting rows={16}>
    <Presence {...props} />
  </Waiting>
);
