import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';

interface Saved {
  version: number;
  created_at: number;
  created_by: string;
  changed_at: number;
  changed_by: string;
}

/** Who made a record and who saved its newest version, for the head of its page. */
export const savedFacts = (one: Saved): React.ReactNode[] => [
  <span key="version">
    version {one.version} of <Time at={one.changed_at} /> by <Text>{one.changed_by}</Text>
  </span>,
  <span key="created">
    created <Time at={one.created_at} /> by <Text>{one.created_by}</Text>
  </span>,
];
