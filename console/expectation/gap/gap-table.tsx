import { duration } from '../../model/time.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import { lengthOfGap, stateOfGap, subjectText } from '../model/gaps.ts';
import type { Gap } from '../operations.ts';

interface GapTableProps {
  org: string;
  caption: string;
  gaps: readonly Gap[];
  /** Whether the page is about one expectation, so that its name needs no column. */
  isOfOne?: boolean;
}

/** Gaps: what was missing, since when and for how long, and why. */
export function GapTable({ org, caption, gaps, isOfOne = false }: GapTableProps) {
  const now = useNow();
  return (
    <Table
      caption={caption}
      rows={gaps}
      keyOf={({ id }) => id}
      isUnreadable={({ unreadable }) => unreadable === true}
      columns={[
        {
          head: 'Missing',
          cell: ({ id, subject }) => (
            <PageLink page="gap" params={{ org, gap: id }} strong row>
              <Text>{subjectText(subject)}</Text>
            </PageLink>
          ),
        },
        { head: 'State', fit: true, cell: (gap) => <State state={stateOfGap(gap)} /> },
        { head: 'From', fit: true, cell: ({ from }) => <Time at={from} /> },
        { head: 'For', fit: true, cell: (gap) => duration(lengthOfGap(gap, now)) },
        ...(isOfOne
          ? []
          : [
              {
                head: 'Expectation',
                cell: ({ expectation }: Gap) => (
                  <PageLink page="expectation" params={{ org, expectation }}>
                    <Text>{expectation}</Text>
                  </PageLink>
                ),
              },
              { head: 'Owner', fit: true, cell: ({ owner }: Gap) => <Text>{owner ?? '–'}</Text> },
              { head: 'Severity', fit: true, cell: ({ severity }: Gap) => severity },
            ]),
        { head: 'Explanation', wide: true, cell: ({ explanation }) => <Text>{explanation?.text ?? '–'}</Text> },
      ]}
    />
  );
}
