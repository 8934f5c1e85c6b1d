import { useAnswer } from '../client/live.ts';
import { Panel } from '../parts/page/panel.tsx';
import { recallsOf } from './model/recalls.ts';
import { RecallTable } from './recall-table.tsx';
import { readRecalls } from './routes.ts';

interface RecalledByProps {
  org: string;
  signer?: string;
  root?: string;
}

/** The recalls of a signer or of a trust root; nothing if there are none. */
export function RecalledBy({ org, ...named }: RecalledByProps) {
  const found = recallsOf(useAnswer(readRecalls(org)).recalls, named);
  if (found.length === 0) return null;
  return (
    <Panel title="Recalled" note="what it signed is not to be trusted">
      <RecallTable org={org} caption="Recalls" recalls={found} />
    </Panel>
  );
}
