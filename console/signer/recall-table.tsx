import { PageLink } from '../parts/link/link.tsx';
import { Table } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { periodText, targetText } from './model/recalls.ts';
import type { Recall } from './operations.ts';

interface RecallTableProps {
  org: string;
  caption: string;
  recalls: readonly Recall[];
}

/** Recalls with what they recall and why. */
export const RecallTable = ({ org, caption, recalls }: RecallTableProps) => (
  <Table
    caption={caption}
    rows={recalls}
    keyOf={({ name }) => name}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Recall',
        cell: ({ name }) => (
          <PageLink page="recall" params={{ org, recall: name }} strong row>
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      { head: 'State', fit: true, cell: ({ deleted }) => <State state={deleted ? 'deleted' : 'recalled'} /> },
      { head: 'Why', wide: true, cell: ({ reason }) => <Text lines>{reason}</Text> },
      { head: 'What', cell: (one) => <Text>{targetText(one)}</Text> },
      { head: 'Signed', cell: periodText },
      { head: 'Changed', fit: true, cell: ({ changed_at: at }) => <Time at={at} show="ago" /> },
    ]}
  />
);
