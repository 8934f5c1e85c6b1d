import { lazy } from 'react';
import { loadChunk } from '../../client/new-version.ts';
import { Panel } from '../../parts/page/panel.tsx';

// Pages of several themes show it in a tab, so it is loaded with the tab.
const SubjectGaps = lazy(() => loadChunk(() => import('./subject-gaps.tsx')));

/** What was missing of an environment or a flow, as a tab of its page. */
export const GapsPanel = ({ org, subject }: { org: string; subject: string }) => (
  <Panel title="Gaps" note="times in which something that was expected did not come" rows={4}>
    <SubjectGaps org={org} subject={subject} />
  </Panel>
);
