import { lazy } from 'react';
import { loadChunk } from '../../client/new-version.ts';
import { Panel } from '../../parts/page/panel.tsx';
import type { ParamsOf } from '../../routes/params.ts';

// Only one tab of the page shows it, so it is loaded with the tab.
const Presence = lazy(() => loadChunk(() => import('./presence.tsx')));

interface PresencePanelProps {
  params: ParamsOf<'environment'>;
  page: number | undefined;
  lastReport: number | null;
}

/** When reports of an environment came, hour by hour. */
export const PresencePanel = (props: PresencePanelProps) => (
  <Panel title="Reports" note="by hour, in UTC" rows={16}>
    <Presence {...props} />
  </Panel>
);
