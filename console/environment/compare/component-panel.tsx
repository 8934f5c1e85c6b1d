import { useState } from 'react';
import { useAnswer } from '../../client/live.ts';
import { Button } from '../../parts/control/button.tsx';
import { Panel, Waiting } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Text } from '../../parts/text/text.tsx';
import { differencesSentence, kindOfDifference, versionsOf } from '../model/component-differences.ts';
import { readComponentDifferences } from '../routes.ts';

interface PairProps {
  org: string;
  /** Fingerprints of the two artifacts. */
  from: string;
  to: string;
}

/** What differs between the components of two artifacts. */
export const ComponentPanel = (pair: PairProps) => (
  <Panel title="Components" note={`${pair.from.slice(0, 8)} and ${pair.to.slice(0, 8)}, by their SBOMs`}>
    <Page {...pair} cursor={null} />
  </Panel>
);

/** A page of the differences, and behind it the next one when it is asked for. */
function Page({ org, from, to, cursor }: PairProps & { cursor: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const answer = useAnswer(readComponentDifferences(org, from, to, cursor));
  const { differences, next_cursor: next } = answer;
  return (
    <>
      {cursor === null && (
        <p>
          <Text>{differencesSentence(answer)}</Text>
        </p>
      )}
      {differences.length > 0 && (
        <Table
          caption="Packages that differ"
          rows={differences}
          keyOf={({ kind, package: purl, name }) => `${kind} ${purl} ${name}`}
          columns={[
            { head: 'Package', cell: ({ package: purl, name }) => <Text>{purl ?? name}</Text> },
            { head: 'Before', cell: (one) => <Text>{versionsOf(one.from)}</Text> },
            { head: 'After', cell: (one) => <Text>{versionsOf(one.to)}</Text> },
            { head: 'Change', fit: true, cell: kindOfDifference },
          ]}
        />
      )}
      {next !== null && !isOpen && <Button onClick={() => setOpen(true)}>More differences</Button>}
      {next !== null && isOpen && (
        <Waiting rows={3}>
          <Page org={org} from={from} to={to} cursor={next} />
        </Waiting>
      )}
      {cursor === null && <Raw value={answer} path={`/components/${org}/differences?from=${from}&to=${to}`} />}
    </>
  );
}
